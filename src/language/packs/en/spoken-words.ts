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
  Rm: "Room",
  Dept: "Department",
  Jan: "January",
  Feb: "February",
  Aug: "August",
  Sept: "September",
  Oct: "October",
  Nov: "November",
  Dec: "December",
  approx: "approximately",
  max: "maximum",
  ext: "extension",
};
/** Abbreviations whose dot may end the sentence as well. */
const closing: Record<string, string> = {
  etc: "et cetera",
  Inc: "Incorporated",
  Ltd: "Limited",
  Corp: "Corporation",
  Jr: "Junior",
  Sr: "Senior",
  Mon: "Monday",
  Tue: "Tuesday",
  Tues: "Tuesday",
  Wed: "Wednesday",
  Thu: "Thursday",
  Thurs: "Thursday",
  Fri: "Friday",
  Sat: "Saturday",
};

/** "Jr" or "Sr" before a name or a post, not after a name: no name stands before it, or a word that only begins a sentence. */
export const title = String.raw`(?<![\p{L}'-])(?:(?<!\p{Lu}[\p{L}\p{M}'-]{0,30},? )|(?<=(?<!\p{L})(?:An?|And|As|Ask|At|By|For|From|Her|His|I|Is|Its|My|No|Or|Our|That|The|Their|This|To|With|Your) ))(?:Jr|Sr)`;
const titleAbbreviation = new RegExp(String.raw`(${title})\.(?= \p{Lu})`, "gu");

const abbreviation = new RegExp(`(?<![\\p{L}'-])(${Object.keys(abbreviations).join("|")})\\.(?=\\s|$)`, "gu");
const closingAbbreviation = new RegExp(
  `(?<![\\p{L}'-])(${Object.keys(closing).join("|")})\\.(?=\\s*(\\p{Lu}|$)|)`,
  "gu",
);

/** Short words that people write in capitals for weight; other short ones in capitals are spelled. */
const shouted = new Set(
  "A I AM AN AND ARE AS AT BE BUT BUY BY CAN CAT DAY DID DO FAX FOR FREE GET GO GOT HAD HAS HE HER HIM HIS HOW IF IN IS IT ITS LET MAY ME MY NEW NO NOT NOW OF OFF OH OK ON ONE OR OUR OUT OWN PAY PET PIN RAM SAY SEE SHE SIM SO THE TO TOO TWO UP WAS WAY WE WHO WHY WON YES YET YOU ZIP".split(
    " ",
  ),
);
const spelled = new Set(
  "ISBN COPD ADHD CPAP MRSA EGFR OECD UCLA NCAA AARP IEEE FAQ USB URL UPS CEO CFO CTO ATM VIP ASAP".split(" "),
);

/** After the name of a street, at the end of a part of an address. */
const street = /(?<=\p{Lu}\p{Ll}+ )(St|Ave|Blvd|Rd)(?=,|[.!?]?$| (?:in|and|at|near|is)(?!\p{L}))/gu;

/** Not a doctor: after a capitalised word, and before no name. */
const drive =
  /(?<=\p{Lu}\p{Ll}+ )(?<!(?:^|[.!?] )\p{Lu}\p{Ll}+ )Dr(?:\.(?= ?$|,| \p{Ll})|(?=,| (?:in|and|at|near|is)(?!\p{L})))/gu;
/** "Roe v. Wade", "cats vs dogs". */
const versus = /(?<!\p{L})vs\.?(?=[\s,]|$)|(?<=\p{Lu}[\p{L}.'-]{0,30} )v\.(?= \p{Lu})/gu;

/** "ten AM": in capitals elsewhere it is the word. */
const morning =
  /(?<=\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w{1,6}teen|\w{2,4}ty|o'clock) )AM(?!\p{L})/gu;

/** Abbreviations in full and acronyms as letters with dots ("N.H.S"). Takes text without digits. */
export function spokenWords(text: string): string {
  return text
    .replace(/(?<!\p{L})[Ee]\.g\.,?/gu, "for example,")
    .replace(/(?<!\p{L})[Ii]\.e\.,?/gu, "that is,")
    .replace(/(?<!\p{L})Ph\.? ?D(?!\p{L})/gu, "P.H.D")
    .replace(morning, "a.m")
    .replace(versus, "versus")
    .replace(/(?<=\p{Lu}\p{Ll}+ )St\.(?= |$|,)/gu, "Street")
    .replace(drive, "Drive")
    .replace(street, (_, short: string) => abbreviations[short] ?? "Street")
    .replace(/(?<!\p{L})Apt(?= \p{L})/gu, "Apartment")
    .replace(/(?<!\p{L})St\.(?= \p{Lu})/gu, "Saint")
    .replace(abbreviation, (_, short: string) => abbreviations[short] ?? short)
    .replace(titleAbbreviation, (_, short: string) => closing[short] ?? short)
    .replace(
      closingAbbreviation,
      (_, short: string, next?: string) => (closing[short] ?? short) + (next === undefined ? "" : "."),
    )
    .replace(/(?<![\p{L}'])(\p{Lu}{2,6})('?s)?(?![\p{L}'])/gu, (_, word: string, ending?: string) =>
      acronym(word, ending ?? ""),
    );
}

/** Two letters with an ending take a hyphen: voices say "C.D's" with "dot". */
function acronym(word: string, ending: string): string {
  const isWord = shouted.has(word) || (word.length > 3 && /[AEIOUY]/.test(word) && !spelled.has(word));
  if (isWord) return word.toLowerCase() + ending;
  const letters = Array.from(word);
  return ending === "" ? letters.join(".") : `${letters.join(letters.length === 2 ? "-" : ".")}'s`;
}
