const abbreviations: Record<string, string> = {
  Mr: "Mister",
  Mrs: "Missus",
  Ms: "Miz",
  Dr: "Doctor",
  Prof: "Professor",
  Sgt: "Sergeant",
  Capt: "Captain",
  Gen: "General",
  Rev: "Reverend",
  Ave: "Avenue",
  Blvd: "Boulevard",
  Rd: "Road",
  Apt: "Apartment",
  Dept: "Department",
  Jan: "January",
  Feb: "February",
  Aug: "August",
  Sept: "September",
  Oct: "October",
  Nov: "November",
  Dec: "December",
  approx: "approximately",
  vs: "versus",
};
/** Abbreviations whose dot may end the sentence as well. */
const closing: Record<string, string> = {
  etc: "et cetera",
  Inc: "Incorporated",
  Ltd: "Limited",
  Corp: "Corporation",
  Jr: "Junior",
  Sr: "Senior",
};

const abbreviation = new RegExp(`(?<![\\p{L}'-])(${Object.keys(abbreviations).join("|")})\\.(?=\\s|$)`, "gu");
const closingAbbreviation = new RegExp(
  `(?<![\\p{L}'-])(${Object.keys(closing).join("|")})\\.(?=\\s*(\\p{Lu}|$)|)`,
  "gu",
);

/** Short words that people write in capitals for weight; other short ones in capitals are spelled. */
const shouted = new Set(
  "A I AM AN AND ARE AS AT BE BUT BUY BY CAN DAY DID DO FOR FREE GET GO GOT HAD HAS HE HER HIM HIS HOW IF IN IS IT ITS LET MAY ME MY NEW NO NOT NOW OF OFF OH OK ON ONE OR OUR OUT OWN PAY SAY SEE SHE SO THE TO TOO TWO UP WAS WAY WE WHO WHY WON YES YET YOU".split(
    " ",
  ),
);
const spelled = new Set("ISBN FAQ USB URL UPS CEO CFO CTO ATM VIP ASAP".split(" "));

/** Abbreviations in full and acronyms letter by letter. Takes text without digits. */
export function spokenWords(text: string): string {
  return text
    .replace(/(?<!\p{L})e\.g\.,?/giu, "for example,")
    .replace(/(?<!\p{L})i\.e\.,?/giu, "that is,")
    .replace(
      /(?<!\p{L})([ap])\.m\.(?=\s*(\p{Lu}|$)|)/gu,
      (_, half: string, next?: string) => `${half} m${next === undefined ? "" : "."}`,
    )
    .replace(/(?<!\p{L})Ph\.? ?D\.?(?!\p{L})/gu, "P H D")
    .replace(/(?<![\p{L}.])(?:\p{Lu}\.){2,}/gu, (letters) => letters.replaceAll(".", " ").trim())
    .replace(/(?<=\p{Lu}\p{Ll}+ )St\.(?= |$|,)/gu, "Street")
    .replace(/(?<!\p{L})St\.(?= \p{Lu})/gu, "Saint")
    .replace(abbreviation, (_, short: string) => abbreviations[short] ?? short)
    .replace(
      closingAbbreviation,
      (_, short: string, next?: string) => (closing[short] ?? short) + (next === undefined ? "" : "."),
    )
    .replace(/(?<![\p{L}'])\p{Lu}{2,6}(?=s?(?![\p{L}']))/gu, acronym);
}

function acronym(word: string): string {
  if (shouted.has(word)) return word.toLowerCase();
  const sayable = word.length > 3 && /[AEIOUY]/.test(word) && !spelled.has(word);
  return sayable ? word.toLowerCase() : Array.from(word).join(" ");
}
