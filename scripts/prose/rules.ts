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

const MOST_WORDS = 34;

const RULES: readonly Rule[] = [
  { name: "genitive first", pattern: /^Of (?!course\b)\S+/u, advice: "begin with the subject" },
  {
    name: "what as a noun",
    pattern:
      /^(?:What|Whoever|Whatever|Whom)\b(?![^?]*\?$)[^,.:;]*|\b(?:of|than|beside|besides|from) (?:what|whoever)\b/u,
    advice: "name the thing",
  },
  {
    name: "is no",
    pattern:
      /(?<!\b[Tt]here )\b(?:is|are|was|were|be|being) (?:no(?= [a-z])(?! (?:longer|more|less|later|sooner|larger)\b)|none\b)/u,
    advice: "write: is not a ...",
  },
  {
    name: "house word",
    pattern:
      /\b(?:mend(?:s|ed|ing)?|told|at hand|(?:taken?|takes|took) back|let(?:s|ting)? go|a look|weigh(?:s|ed|ing)?|lean(?:s|ed|ing)? on|but for|go(?:es)? by|stands? in for|stands? in the place|stand-ins?)\b/iu,
    advice: "use: remedy, reported, available, cancelled, released, query, score, depend on, except, use, replace",
  },
  {
    name: "for meaning because",
    pattern: /[,;:] for (?:it|they|he|she|there|that|this|these|nobody|nothing|one|its|their|every|no)\b/u,
    advice: "write: because",
  },
  {
    name: "person",
    pattern:
      /\b(?:[Hh]e|[Hh]im|[Hh]is|[Hh]imself|[Nn]obody|[Ss]omebody|[Aa]nybody|[Ee]verybody|[Ww]hoever|one who|one may|one listens)\b/u,
    advice: "write: the caller, they, it, users, no caller",
  },
  { name: "hidden subject", pattern: /^First of all:/u, advice: "begin with the subject" },
  { name: "chain of colons", pattern: /^[^"“`]*\w: [^"“`]*\w: \w/u, advice: "make full sentences" },
];

/** Findings in one passage of prose: a comment, a paragraph, a test name or a message. */
export function checkProse(passage: string): readonly Finding[] {
  return sentencesOf(passage).flatMap((sentence) => [
    ...RULES.flatMap(({ name, pattern, advice }) => {
      const [phrase] = pattern.exec(sentence) ?? [];
      return phrase === undefined ? [] : [{ rule: name, phrase: phrase.slice(0, 60), advice }];
    }),
    ...checkLength(sentence),
  ]);
}

function checkLength(sentence: string): readonly Finding[] {
  const words = sentence.split(/\s+/u);
  if (words.length <= MOST_WORDS) return [];
  const phrase = `${words.slice(0, 6).join(" ")} ...`;
  return [{ rule: "long sentence", phrase, advice: `${String(words.length)} words; ${String(MOST_WORDS)} at most` }];
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
