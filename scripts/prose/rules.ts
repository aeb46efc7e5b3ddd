/** One rule of the house style: a pattern in a sentence, and the advice for the writer. */
interface Rule {
  readonly name: string;
  readonly pattern: RegExp;
  readonly advice: string;
}

export interface Finding {
  readonly rule: string;
  readonly phrase: string;
  readonly advice: string;
}

/** Most words in a sentence that pass. CONTRIBUTING.md asks for about 20. */
export const MOST_WORDS = 34;

const RULES: readonly Rule[] = [
  { name: "genitive first", pattern: /^[Oo]f (?!course\b)\S+/u, advice: "begin with the subject" },
  {
    name: "what as a noun",
    pattern:
      /^(?:[Ww]hat|[Ww]hoever|[Ww]hatever|Whom) (?![^?]*\?$)[^,.:;]*|\b(?:of|than|beside|besides|from) (?:what|whoever)\b|\b(?:by|for|with|to|after|before) what (?:is|are|was|were)\b/u,
    advice: "name the thing",
  },
  {
    name: "is no",
    pattern:
      /(?<!\b[Tt]here )\b(?:is|are|was|were|be|being) (?:no(?= [a-z])(?! (?:longer|more|less|later|sooner|larger)\b)|none\b)|\bby no (?!more|means|longer)\w+|\bnone that\b|\bthat of no\b/u,
    advice: "write: is not a ...",
  },
  {
    name: "house word",
    pattern:
      /\b(?:mend(?:s|ed|ing)?|told|at hand|(?:taken?|takes|taking|took)(?: (?:it|them|this|that))? back|let(?:s|ting)? go|(?:an?|the|each|every|another|two|last|next) looks?(?! like)|(?:out)?weigh(?:s|ed|ing)?|tells?(?=[:.,;]| of\b)|lean(?:s|ed|ing)? on|but for|go(?:es)? by|stands? in for|stands? in the place|stand-ins?)\b/iu,
    advice: "use: remedy, reported, available, cancelled, released, query, score, depend on, except, use, replace",
  },
  {
    name: "for meaning because",
    pattern:
      /[,;:] for (?:(?:it|they|he|she|there|nobody|nothing) (?!to\b|else\b)|(?:an?|the|its|their|this|that|these|one|each|every|no)(?: (?!who|that|which|whose)[\w'-]+){1,4} (?:is|are|was|were|has|have|had|does|would|must|may|can|cannot|could|will)\b)/u,
    advice: "write: because",
  },
  {
    name: "person",
    pattern:
      /\b(?:[Hh]e|[Hh]im|[Hh]is|[Hh]imself|[Nn]obody|[Ss]omebody|[Aa]nybody|[Ee]verybody|[Ww]hoever|one who|one may|one listens)\b/u,
    advice: "write: the caller, they, it, users, no caller",
  },
  { name: "hidden subject", pattern: /^First of all:/u, advice: "begin with the subject" },
  { name: "bare unit", pattern: /^(?:[KMG]B|ms|s|k?Hz|dB)\.$/u, advice: "write what the number is" },
  { name: "chain of colons", pattern: /^[^"“`(]*\w: [^"“`(]*\w: \w/u, advice: "make full sentences" },
];

/** Findings in one passage of prose: a comment, a paragraph, a test name or a message. */
export function checkProse(passage: string, mostWords = MOST_WORDS): readonly Finding[] {
  return sentencesOf(passage).flatMap((sentence) => [
    ...RULES.flatMap(({ name, pattern, advice }) => {
      const [phrase] = pattern.exec(sentence) ?? [];
      return phrase === undefined ? [] : [{ rule: name, phrase: phrase.slice(0, 60), advice }];
    }),
    ...checkLength(sentence, mostWords),
  ]);
}

const BAD_NAME = /\b\w*(?:[Hh]earsay|[Oo]verhear|[Ll]etGo\b|[Ww]eigh(?!t)|othersTurn|MENDS\b)\w*/gu;

/** Names in a source file that are puns or that differ from another one by a suffix. */
export function checkNames(source: string): readonly (Finding & { readonly line: number })[] {
  return source.split("\n").flatMap((text, index) =>
    [...text.matchAll(BAD_NAME)].map(([phrase]) => ({
      line: index + 1,
      rule: "name",
      phrase,
      advice: "use a noun or a verb that a newcomer can guess",
    })),
  );
}

function checkLength(sentence: string, mostWords: number): readonly Finding[] {
  const words = sentence.split(/\s+/u);
  if (words.length <= mostWords) return [];
  const phrase = `${words.slice(0, 6).join(" ")} ...`;
  return [{ rule: "long sentence", phrase, advice: `${String(words.length)} words; ${String(mostWords)} at most` }];
}

function sentencesOf(passage: string): readonly string[] {
  const plain = passage
    .replaceAll(/`[^`]*`/gu, "x")
    .replaceAll(/@(?:param|returns|throws|internal)(?: `?[\w.]+`?)?/gu, ". ")
    .replaceAll(/\be\.g\./gu, "for example")
    .replaceAll(/\s+/gu, " ");
  return plain
    .split(/(?<=[.?!;][")”]?)\s+/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "");
}
