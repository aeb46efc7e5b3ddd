/** Readers of number words. They share nothing with the code that writes the words. */

export const SMALL =
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(
    " ",
  );
const TENS = "- - twenty thirty forty fifty sixty seventy eighty ninety".split(" ");
const SCALES: Readonly<Record<string, number>> = { thousand: 1e3, million: 1e6, billion: 1e9 };
const isEnglish = new Set([...SMALL, ...TENS, ...Object.keys(SCALES), "hundred", "point", "minus"]);

/** The number words of an English text, without the others. */
export const numberWords = (text: string): string =>
  text
    .split(/[ ,.]+/u)
    .filter((word) => isEnglish.has(word))
    .join(" ");

/** "minus one hundred two point zero five" -> -102.05. */
export function englishValue(words: string): number {
  const [whole = "", decimals] = words.replace(/^minus /u, "").split(" point ");
  let [sum, group] = [0, 0];
  for (const word of whole.split(" ")) {
    const scale = SCALES[word];
    if (scale !== undefined) [sum, group] = [sum + group * scale, 0];
    else if (word === "hundred") group *= 100;
    else group += SMALL.includes(word) ? SMALL.indexOf(word) : 10 * TENS.indexOf(word);
  }
  const fraction = decimals?.split(" ").map((word) => SMALL.indexOf(word));
  return signed(words, "minus", `${String(sum + group)}${fraction === undefined ? "" : `.${fraction.join("")}`}`);
}

const KLEIN =
  "null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn".split(
    " ",
  );
const ZEHNER = "- - zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig".split(" ");

/** "minus eintausendzwei komma null fünf" -> -1002.05. */
export function germanValue(words: string): number {
  const [whole = "", decimals] = words.replace(/^minus /u, "").split(" komma ");
  const [, millions, rest = ""] = /^(?:(.*?) Million(?:en)? ?)?(.*)$/u.exec(whole) ?? [];
  const value = (millions === undefined ? 0 : germanWhole(millions) * 1e6) + (rest === "" ? 0 : germanWhole(rest));
  return signed(words, "minus", `${String(value)}${decimals === undefined ? "" : `.${germanDigits(decimals)}`}`);
}

const signed = (words: string, minus: string, digits: string): number =>
  words.startsWith(`${minus} `) ? -Number(digits) : Number(digits);

/** Decimals are zeros and then one number: "null fünfundzwanzig" is 025. */
const germanDigits = (words: string): string =>
  words
    .split(" ")
    .map((word) => String(germanWhole(word)))
    .join("");

/** One word below a million. */
function germanWhole(word: string): number {
  const [before, thousands, after] = cut(word, "tausend");
  if (thousands) return below1000(before === "" ? "ein" : before) * 1000 + (after === "" ? 0 : below1000(after));
  return below1000(word);
}

function below1000(word: string): number {
  const [before, hundreds, after] = cut(word, "hundert");
  if (hundreds) return below100(before === "" ? "ein" : before) * 100 + (after === "" ? 0 : below100(after));
  return below100(word);
}

function below100(word: string): number {
  const [ones, isPair, tens] = cut(word, "und");
  if (isPair) return KLEIN.indexOf(ones) + 10 * ZEHNER.indexOf(tens);
  const small = KLEIN.indexOf(word.replace(/^ein[se]$/u, "ein"));
  const value = small >= 0 ? small : 10 * ZEHNER.indexOf(word);
  if (value < 0) throw new Error(`not a number: ${word}`);
  return value;
}

function cut(word: string, at: string): [before: string, found: boolean, after: string] {
  const index = word.search(at === "und" ? /(?<!h)und(?!ert)/u : new RegExp(at, "u"));
  return index < 0 ? ["", false, ""] : [word.slice(0, index), true, word.slice(index + at.length)];
}
