import { plainWords, SaidWords } from "../../conversation/facts/said-words.ts";
import { SaidValues } from "../../conversation/facts/said-values.ts";
import type { Language } from "../../language/language.ts";
import type { CallView } from "./call-view.ts";

/** Numbers with their marks, and times. */
const NUMBERS = /\d[\d.,:]*\d|\d/gu;
/** A word with a capital that does not begin a sentence. */
const NAMES = /(?<=[\p{Ll}\p{N},;:]\s)\p{Lu}[\p{L}'’]+/gu;
/** German writes all nouns with a capital. */
const CAPITAL_NOUNS = new Set(["de"]);

/**
 * Numbers and names of the replies that neither the operator's texts nor the caller nor a tool has named.
 * @param known Prompt, facts and greeting.
 */
export function inventedIn(
  { turns }: Pick<CallView, "turns">,
  known: readonly string[],
  language: Language,
): readonly string[] {
  const texts = [...known];
  const found = new Set<string>();
  for (const { said, heard, tools, replied } of turns) {
    const used = tools.flatMap(({ name, arguments: args, output = "" }) => [name, JSON.stringify(args ?? {}), output]);
    texts.push(said, heard, ...used);
    const values = new SaidValues(texts, [], language);
    const words = new SaidWords(texts, language);
    for (const number of numbersIn(replied, language)) if (!values.has(number)) found.add(number);
    if (!CAPITAL_NOUNS.has(language.code))
      for (const [name] of replied.matchAll(NAMES)) if (!words.hasWord(name) && !isCommon(name)) found.add(name);
  }
  return [...found];
}

const numberWords = new WeakMap<Language, ReadonlyMap<string, string>>();

/** Digits, and the words of the numbers from 3 to 99: "one" and "two" are often no values. */
function numbersIn(text: string, language: Language): readonly string[] {
  const names =
    numberWords.get(language) ??
    new Map(
      Array.from({ length: 97 }, (_, at) => String(at + 3)).map((digits) => [
        plainWords(language.speakable(digits)).join(" "),
        digits,
      ]),
    );
  numberWords.set(language, names);
  const words = plainWords(text);
  const spoken = words.flatMap((word, at) => {
    const pair = names.get(`${word} ${words[at + 1] ?? ""}`);
    const isSecond = names.has(`${words[at - 1] ?? ""} ${word}`);
    return pair ?? (isSecond ? [] : (names.get(word) ?? []));
  });
  return [...Array.from(text.matchAll(NUMBERS), ([digits]) => digits), ...spoken];
}

/** "I", "I'm". */
const isCommon = (word: string) => /^I(?:['’]|$)/u.test(word);
