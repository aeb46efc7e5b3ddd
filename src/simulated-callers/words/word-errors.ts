import { languageOf } from "../../language/packs/languages.ts";
import { readingsOf } from "./readings.ts";
import { englishSpelling, germanSpelling } from "./spelling.ts";

const SPELLINGS: Readonly<Record<string, (word: string) => string>> = {
  en: (word) => englishSpelling(word.normalize("NFD").replaceAll(/\p{M}/gu, "")),
  de: germanSpelling,
};

/** "N-T-5-9": hyphens between digits would make a range of them. */
const SPELLED = /(?<![\p{L}\d])[\p{L}\d](?:-[\p{L}\d]){2,}(?![\p{L}\d])/gu;

const NUMBERS = /(?<![\d-])(\d+)-(\d+)(?![\d-])/gu;

/** Keeps the hyphen of a range: "10-12", but "714 61". */
const withoutHyphens = (text: string): string =>
  text
    .replaceAll(SPELLED, (run) => run.replaceAll("-", " "))
    .replaceAll(NUMBERS, (run, from: string, to: string) => (Number(from) < Number(to) ? run : `${from} ${to}`));

/** A text as it is said: lower case, numbers in words, one spelling, no punctuation. */
export function plainWords(text: string, language = "en"): readonly string[] {
  const spelling = SPELLINGS[language] ?? ((word: string) => word);
  return languageOf(language)
    .speakable(withoutHyphens(text.normalize("NFC")))
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}' ]/gu, " ")
    .split(/\s+/u)
    .map((word) => spelling(word.replaceAll(/^'+|'+$/gu, "")))
    .filter((word) => word !== "");
}

/**
 * Number of substitutions, insertions and deletions from `reference` to `heard` (Levenshtein distance over words). Words that
 * can be written in several ways count in the way with the fewest errors. Examples: "4900" for "four nine oh oh", "check in" for
 * "checkin", "vqdb" for "v q d b", "I'm" for "I am". Takes words of `plainWords`.
 */
export function wordErrors(reference: readonly string[], heard: readonly string[], language = "en"): number {
  const from = latticeOf(reference, language);
  const to = latticeOf(heard, language);
  const least: number[][] = [];
  for (const [line, edges] of from.entries()) {
    const row: number[] = [];
    least.push(row);
    for (const [column, others] of to.entries()) {
      let best = line === 0 && column === 0 ? 0 : Infinity;
      for (const edge of edges) best = Math.min(best, least[edge.from]![column]! + edge.cost);
      for (const other of others) best = Math.min(best, row[other.from]! + other.cost);
      for (const edge of edges)
        for (const other of others)
          best = Math.min(
            best,
            least[edge.from]![other.from]! + (isSame(edge, other) ? 0 : Math.max(edge.cost, other.cost)),
          );
      row.push(best);
    }
  }
  return least.at(-1)!.at(-1)!;
}

/** A step from one node of a lattice to a later one. Without a label it is free. */
interface Edge {
  readonly from: number;
  readonly label: string | undefined;
  /** Errors when it matches nothing. A reading costs at least as many as the words that it replaces. */
  readonly cost: number;
  readonly isDerived: boolean;
}

const isSame = (a: Edge, b: Edge): boolean =>
  a.label !== undefined && a.label === b.label && !(a.isDerived && b.isDerived);

/** All readings of a text as a graph: the edges into each node, in topological order. The last node is the end. */
function latticeOf(words: readonly string[], language: string): readonly (readonly Edge[])[] {
  const readings = [
    ...words.map((word, start) => ({ start, end: start + 1, labels: [word], isDerived: false })),
    ...readingsOf(words, language),
  ];
  const nodes: Edge[][] = [];
  const waiting = Array.from({ length: words.length + 1 }, (): Edge[] => []);
  for (let position = 0; position <= words.length; position++) {
    const node = nodes.push(waiting[position]!) - 1;
    for (const { start, end, labels, isDerived } of readings) {
      if (start !== position) continue;
      const lastCost = labels.length === 0 ? 0 : Math.max(1, end - start - labels.length + 1);
      let from = node;
      for (const label of labels.slice(0, -1)) from = nodes.push([{ from, label, cost: 1, isDerived }]) - 1;
      waiting[end]!.push({ from, label: labels.at(-1), cost: lastCost, isDerived });
    }
  }
  return nodes;
}
