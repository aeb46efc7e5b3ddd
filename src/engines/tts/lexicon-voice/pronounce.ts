import { letterSounds } from "../../../language/en/letter-sounds.ts";

/*
 * sherpa-onnx's lexicon front end drops a word it does not know and prints it. Neither may happen: the
 * caller would miss a word, and the log would hold one. So every text passes through here first.
 *
 * The starter lexicon has one pseudo word for each phone, "0" and its name ("0ae1"): any sound can be
 * written with them. In a lexicon without them unknown words are spelled out, or left out at worst.
 */

/** Characters of one text that are read; the service sends clauses, so this only bounds hostile input. */
const longestText = 4000;
const longestWord = 40;

const letterNames = new Map(
  (
    "a 0ey1,b 0b 0iy1,c 0s 0iy1,d 0d 0iy1,e 0iy1,f 0eh1 0f,g 0jh 0iy1,h 0ey1 0ch,i 0ay1,j 0jh 0ey1,k 0k 0ey1," +
    "l 0eh1 0l,m 0eh1 0m,n 0eh1 0n,o 0ow1,p 0p 0iy1,q 0k 0y 0uw1,r 0aa1 0r,s 0eh1 0s,t 0t 0iy1,u 0y 0uw1," +
    "v 0v 0iy1,w 0d 0ah1 0b 0ah0 0l 0y 0uw0,x 0eh1 0k 0s,y 0w 0ay1,z 0z 0iy1"
  )
    .split(",")
    .map((entry) => [entry.charAt(0), entry.slice(2).split(" ")] as const),
);

const digitNames = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];

const symbolNames = new Map([
  ["&", "and"],
  ["+", "plus"],
  ["%", "percent"],
  ["@", "at"],
  ["=", "equals"],
  ["°", "degrees"],
  ["$", "dollars"],
  ["€", "euros"],
  ["£", "pounds"],
  ["#", "number"],
]);

/** Words of `lexicon.txt` (one entry a line: the word, then its phones). */
export function lexiconWords(file: string): Set<string> {
  return new Set(file.split("\n").flatMap((line) => /^\S+(?= )/.exec(line) ?? []));
}

/**
 * `text` as words that are all in `lexicon` (lower case) and the marks `, . ? ! ; :`. Unknown words become
 * known parts ("smartwatch" -> "smart watch"), phone words, or letters. Empty when nothing can be said:
 * never send that to the engine. Reads at most 4,000 characters; the result may be longer than the text.
 */
export function pronounceable(text: string, lexicon: ReadonlySet<string>): string {
  const parts: string[] = [];
  const said = plain(text).trim();
  for (const { 0: part, 1: letters, 2: ending, 3: end } of said.matchAll(token)) {
    if (letters !== undefined) {
      parts.push(...spell(letters.toLowerCase().replace(/[.-]/g, ""), lexicon));
      if (ending !== undefined) parts.push(...(inLexicon(pluralOf(letters), lexicon) ?? []));
      // Letters alone are not a sentence.
      if (end !== undefined && part.length < said.length) parts.push(end);
      continue;
    }
    if (/[,.?!;:]/.test(part)) {
      // One mark at most between words, and none before the first.
      if (parts.length > 0 && !/^[,.?!;:]$/.test(parts.at(-1) ?? "")) parts.push(part);
      continue;
    }
    const name = symbolNames.get(part) ?? (/\d/.test(part) ? (digitNames[Number(part)] ?? "") : part);
    parts.push(...sayWord(name, lexicon));
  }
  return parts.join(" ").replace(/ ([,.?!;:])/g, "$1");
}

/**
 * Letters said one by one ("a.m.", "C-D's", the A of "A-twelve") with their ending and the dot that ends a sentence too:
 * nothing, or a capital letter, comes after it. Else a word, a digit, a mark or a sign.
 */
const token =
  /(?<![A-Za-z'])([A-Za-z](?:\.[A-Za-z])+(?![A-Za-z])|[A-Z](?:-[A-Z])*(?=-[A-Za-z]|'s(?![A-Za-z'])))('s)?(?:(\.)(?=\s*(?:[A-Z]|$))|\.(?!\.))?|[A-Za-z']+|\d|[,.?!;:]|[&+%@=°$€£#]/g;

/** Latin letters without accents, straight apostrophes, and only the marks that mean a pause. */
function plain(text: string): string {
  return text
    .slice(0, longestText)
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/[‘’ʼ`´]/g, "'")
    .replace(/ß/g, "ss")
    .replace(/[æÆ]/g, "ae")
    .replace(/[øØ]/g, "o")
    .replace(/[łŁ]/g, "l")
    .replace(/\s*[–—]\s*|\s+-+\s+/g, ", ")
    .replace(/(?<=\w)[.](?=\d)/g, " point ")
    .replace(/(?<=[a-z]{2})[.](?=[a-z]{2})/gi, " dot ")
    .replace(/(?<=\d)[:,](?=\d)/g, " ");
}

function sayWord(written: string, lexicon: ReadonlySet<string>): string[] {
  const word = written.toLowerCase().replace(/^'+|'+$/g, "");
  if (word === "") return [];
  if (word.length === 1 && word !== "a" && word !== "i") return spell(word, lexicon);
  const tailed = `'${word}`;
  if (lexicon.has(word)) return [word];
  if (written.startsWith("'") && lexicon.has(tailed)) return [tailed];
  const letters = word.replaceAll("'", "").slice(0, longestWord);
  const initials = written.length <= 5 && written === written.toUpperCase();
  if (initials || !/[aeiouy]/.test(letters)) return spell(letters, lexicon);
  if (lexicon.has(letters)) return [letters];
  return (
    inflected(
      word
        .replace(/'s$|s'$/, "s")
        .replaceAll("'", "")
        .slice(0, longestWord),
      lexicon,
    ) ??
    compound(letters, lexicon) ??
    inLexicon(
      letterSounds(letters).map((phone) => `0${phone.toLowerCase()}`),
      lexicon,
    ) ??
    spell(letters, lexicon)
  );
}

/** Letter names; a letter the lexicon cannot name is the only thing ever left out. */
function spell(letters: string, lexicon: ReadonlySet<string>): string[] {
  return Array.from(letters).flatMap((letter) => {
    const sounds = inLexicon(letterNames.get(letter) ?? [], lexicon);
    return sounds ?? (lexicon.has(letter) ? [letter] : []);
  });
}

function inLexicon(words: readonly string[], lexicon: ReadonlySet<string>): string[] | undefined {
  return words.length > 0 && words.every((word) => lexicon.has(word)) ? [...words] : undefined;
}

const endings: readonly (readonly [ending: string, sounds: string])[] = [
  ["ingly", "0ih0 0ng 0l 0iy0"],
  ["ing", "0ih0 0ng"],
  ["ers", "0er0 0z"],
  ["er", "0er0"],
  ["able", "0ah0 0b 0ah0 0l"],
  ["ness", "0n 0ah0 0s"],
  ["less", "0l 0ah0 0s"],
  ["ment", "0m 0ah0 0n 0t"],
  ["ful", "0f 0ah0 0l"],
  ["ish", "0ih0 0sh"],
  ["ly", "0l 0iy0"],
  ["ed", ""],
  ["es", ""],
  ["s", ""],
];

/** A known word with an ending ("vlogging" from "vlog"), said as the word and the ending's phones. */
function inflected(word: string, lexicon: ReadonlySet<string>): string[] | undefined {
  for (const [ending, sounds] of endings) {
    if (!word.endsWith(ending) || word.length - ending.length < 3) continue;
    const stem = word.slice(0, -ending.length);
    const undoubled = /([bdfglmnprt])\1$/.test(stem) ? stem.slice(0, -1) : stem;
    const vowelFirst = /^[aei]/.test(ending);
    const stems = vowelFirst ? [stem, `${stem}e`, undoubled, stem.replace(/i$/, "y")] : [stem, stem.replace(/i$/, "y")];
    const known = stems.find((candidate) => lexicon.has(candidate));
    if (known === undefined) continue;
    return inLexicon([known, ...(sounds || pastOrPlural(ending, known)).split(" ")], lexicon);
  }
  return undefined;
}

function pastOrPlural(ending: string, stem: string): string {
  if (ending === "ed")
    return /(?:t|d|te|de)$/.test(stem) ? "0ih0 0d" : /(?:[pkfsx]|[pkfsc]e|ch|sh)$/.test(stem) ? "0t" : "0d";
  return /(?:[sxz]|[szcg]e|ch|sh)$/.test(stem) ? "0ih0 0z" : /(?:[ptkf]|[ptkf]e|th)$/.test(stem) ? "0s" : "0z";
}

/** The ending of letters' names: "efs" has an s, "esses" a syllable, "dees" a z. */
function pluralOf(letters: string): string[] {
  return /f$/i.test(letters) ? ["0s"] : /[shx]$/i.test(letters) ? ["0ih0", "0z"] : ["0z"];
}

/** Two known words of three letters or more, the most even split first; only for words long enough to be one. */
function compound(word: string, lexicon: ReadonlySet<string>): string[] | undefined {
  if (word.length < 7) return undefined;
  const middle = word.length / 2;
  const cuts = Array.from({ length: word.length - 5 }, (_, index) => index + 3);
  cuts.sort((a, b) => Math.abs(a - middle) - Math.abs(b - middle));
  for (const cut of cuts) {
    const halves = [word.slice(0, cut), word.slice(cut)];
    if (halves.every((half) => /[aeiouy]/.test(half) && lexicon.has(half))) return halves;
  }
  return undefined;
}
