import type { SpokenWord } from "../../language.ts";
import { pieceAt, type Atom, type Piece } from "./spelled-atoms.ts";

/**
 * One written form for words that a caller spells and numbers that they dictate, whatever the recogniser wrote.
 * - Three and more letters with a vowel and a consonant become a word in capitals: "S-T-O-D-O-L-S-K-Y" is "STODOLSKY".
 * - Other letters stay apart: "VQDB 4900" is "V Q D B 4900". Three such letters in one word stay: "BBC".
 * - Three and more digits become one number: "one five double oh" is "1500". Commas keep groups apart: "555 012".
 * - Letters and numbers stay apart: "N-T-D-I-C-591" is "NTDIC 591". "B as in Boy" is "B".
 * Other text stays as it is. A second call changes nothing.
 */
export function canonicalSpelling(text: string): string {
  const result = spelledOnce(text);
  // A joined number ends a run, so that what follows it may be a run of its own. Joining is final: this ends.
  return result === text ? text : canonicalSpelling(result);
}

function spelledOnce(text: string): string {
  const items = [...text.matchAll(/\S+/gu)];
  let result = "";
  let end = 0;
  for (const { first, last, tokens } of runsOf(items.map(([word]) => word))) {
    result += text.slice(end, items[first]!.index) + tokens.map((token) => token.text).join(" ");
    end = items[last]!.index + items[last]![0].length;
  }
  return result + text.slice(end);
}

/** The same for words with times. A joined word lasts from its first item to its last one, with their mean confidence. */
export function canonicalSpellingOfWords<Word extends SpokenWord>(words: readonly Word[]): readonly Word[] {
  const result: Word[] = [];
  let end = 0;
  for (const { first, last, tokens } of runsOf(words.map(({ word }) => word))) {
    result.push(...words.slice(end, first), ...tokens.map((token) => timed(words, token)));
    end = last + 1;
  }
  result.push(...words.slice(end));
  const isSame = result.length === words.length && result.every(({ word }, index) => word === words[index]!.word);
  return isSame ? words : canonicalSpellingOfWords(result);
}

interface Token {
  readonly text: string;
  readonly atoms: readonly Atom[];
}

interface Run {
  /** Indices of the first and the last item. */
  readonly first: number;
  readonly last: number;
  readonly tokens: readonly Token[];
}

function timed<Word extends SpokenWord>(words: readonly Word[], { text, atoms }: Token): Word {
  const [first, last] = [atoms[0]!, atoms.at(-1)!];
  const sources = words.slice(first.first, last.last + 1);
  return {
    ...sources[0]!,
    word: text,
    start: timeIn(words, first, first.from),
    end: timeIn(words, last, last.to),
    confidence: sources.reduce((sum, { confidence }) => sum + confidence, 0) / sources.length,
  };
}

/** The time after a share of an atom's items. */
function timeIn(words: readonly SpokenWord[], atom: Atom, share: number): number {
  const { start } = words[atom.first]!;
  return start + share * (words[atom.last]!.end - start);
}

function runsOf(words: readonly string[]): readonly Run[] {
  const runs: Run[] = [];
  for (let index = 0; index < words.length;) {
    const pieces = piecesFrom(words, index);
    const run = runIn(pieces, words);
    if (run !== undefined) runs.push(run);
    index = (run?.last ?? pieces.at(-1)?.last ?? index) + 1;
  }
  return runs;
}

/** Neighbours that may belong to one run. A sentence's end between them ends it, unless each letter has a full stop. */
function piecesFrom(words: readonly string[], start: number): readonly Piece[] {
  const pieces: Piece[] = [];
  for (let index = start; ;) {
    const piece = pieceAt(words, index);
    if (piece === undefined || (pieces.length > 0 && piece.before !== "")) return pieces;
    pieces.push(piece);
    const isDotted = pieces[0]!.after.startsWith(".") && !pieces[0]!.isWhole;
    if (!/^(?:,|\.,?)?$/u.test(piece.after) || (piece.after.startsWith(".") && !isDotted)) return pieces;
    index = piece.last + 1;
  }
}

const AFTER_I =
  /^(?:am|had|have|want|wanted|need|would|will|can|can't|could|do|don't|did|think|was|live|said|mean|just|like|know)\W*$/iu;
/** The full stop of a letter before the mark that ends the sentence. */
const LETTER_DOT = /^\.[.,;:!?](?!\.)/u;
const SCALE = /^(?:hundred|thousand|million|billion|point)\b/iu;

/** The spelled part of neighbouring pieces, if they have one. */
function runIn(all: readonly Piece[], words: readonly string[]): Run | undefined {
  const pieces = withoutWords(all, words);
  const segments = segmentsOf(pieces);
  const isSpelled = segments.some((segment) => isLong(segment) || segment.pieces.some(({ isWhole }) => isWhole));
  const letters = pieces.flatMap(({ atoms }) => atoms.filter(({ kind }) => kind === "letter"));
  if (!isSpelled || isOrdinary(pieces, letters, words)) return undefined;
  const hasWord = segments.some((segment) => segment.kind === "letter" && isLong(segment));
  const kept = hasWord ? segments : withoutShortEnds(segments);
  const used = [...new Set(kept.flatMap((segment) => segment.pieces))];
  const [first, last] = [used[0]!, used.at(-1)!];
  const tokens = kept.flatMap(tokensOf);
  const next = words[last.last + 1];
  const isAbbreviationDot = first.after.startsWith(".") && next !== undefined && !/^\P{L}*\p{Lu}/u.test(next);
  const isLetterDot = LETTER_DOT.test(last.after) || (used.length > 1 && isAbbreviationDot);
  const after = isLetterDot ? last.after.replace(".", "") : last.after;
  return {
    first: first.first,
    last: last.last,
    tokens: tokens.map((token, index) => ({
      ...token,
      text: `${index === 0 ? first.before : ""}${token.text}${index === tokens.length - 1 ? after : ""}`,
    })),
  };
}

/** Leaves out words that only look like letters: "a" beside capitals, "I" before a verb, "Oh," before a number. */
function withoutWords(all: readonly Piece[], words: readonly string[]): readonly Piece[] {
  const wordAt = (piece: Piece | undefined) => (piece === undefined ? "" : words[piece.first]!);
  const hasCapitals = all.some((piece) => /^\p{Lu}/u.test(wordAt(piece)));
  const isArticle = (piece: Piece | undefined) => hasCapitals && wordAt(piece) === "a";
  let first = 0;
  let last = all.length;
  if (isArticle(all[0]) || /^oh\W/iu.test(wordAt(all[0]))) first += 1;
  const ending = all[last - 1];
  if (isArticle(ending) || (wordAt(ending) === "I" && AFTER_I.test(words[(ending?.last ?? 0) + 1] ?? ""))) last -= 1;
  return all.slice(first, Math.max(first, last));
}

/** Initials before a name, a stutter, and numbers with a scale are not spelling. */
function isOrdinary(pieces: readonly Piece[], letters: readonly Atom[], words: readonly string[]): boolean {
  const next = words[(pieces.at(-1)?.last ?? 0) + 1] ?? "";
  const previous = words[(pieces[0]?.first ?? 0) - 1] ?? "";
  const isInitials = pieces.every(({ after }) => after === ".") && letters.length <= 3 && /^\p{Lu}\p{Ll}/u.test(next);
  const isStutter = letters.length > 0 && letters.every(({ text }) => text === letters[0]!.text && /[AI]/u.test(text));
  return isInitials || (isStutter && pieces.length === 1) || SCALE.test(next) || /^point$/iu.test(previous);
}

interface Segment {
  readonly kind: Atom["kind"];
  readonly pieces: readonly Piece[];
  readonly atoms: readonly (Atom & { readonly piece: Piece })[];
}

const isLong = ({ atoms }: Segment): boolean => atoms.length >= 3;

/** Letters and digits in turn. "O" and "oh" are letters or zeros, as their neighbours are. */
function segmentsOf(pieces: readonly Piece[]): readonly Segment[] {
  const read: (Atom & { readonly piece: Piece })[] = [];
  const atoms = pieces.flatMap((piece) => piece.atoms.map((atom) => ({ ...atom, piece })));
  for (const [index, atom] of atoms.entries()) {
    const before = read.at(-1)?.kind;
    const next = atoms[index + 1]?.kind;
    const isZero =
      atom.text === "OH" ? before !== "letter" || next === "digit" : (before ?? next) === "digit" && next !== "letter";
    const isEither = atom.text === "OH" || (atom.text === "O" && atom.kind === "letter");
    read.push(isEither ? { ...atom, kind: isZero ? "digit" : "letter", text: isZero ? "0" : "O" } : atom);
  }
  const segments: { kind: Atom["kind"]; pieces: Piece[]; atoms: (Atom & { piece: Piece })[] }[] = [];
  for (const atom of read) {
    let segment = segments.at(-1);
    if (segment?.kind !== atom.kind) segments.push((segment = { kind: atom.kind, pieces: [], atoms: [] }));
    segment.atoms.push(atom);
    if (segment.pieces.at(-1) !== atom.piece) segment.pieces.push(atom.piece);
  }
  return segments;
}

/** Beside a number, one or two letters may be words. They stay unless they are in one item with the number. */
function withoutShortEnds(segments: readonly Segment[]): readonly Segment[] {
  const isFree = ({ kind, pieces, atoms }: Segment) =>
    kind === "letter" && atoms.length < 3 && pieces.every((piece) => piece.atoms.length === 1 && !piece.isWhole);
  const first = segments.findIndex((segment) => !isFree(segment));
  const last = segments.findLastIndex((segment) => !isFree(segment));
  return segments.slice(first, last + 1);
}

function tokensOf(segment: Segment): readonly Token[] {
  const { kind, atoms } = segment;
  const join = (group: readonly Atom[]): Token => ({ text: group.map(({ text }) => text).join(""), atoms: group });
  if (kind === "digit") return digitGroups(segment).map(join);
  const isWord = isLong(segment) && atoms.some(isVowel) && !atoms.every(isVowel);
  return isWord ? [join(atoms)] : atoms.map((atom) => join([atom]));
}

const isVowel = ({ text }: Atom): boolean => /[AEIOUY]/u.test(text);

/** Groups between commas. Commas after single digits do not divide groups. */
function digitGroups({ atoms }: Segment): readonly (readonly Atom[])[] {
  const groups: Atom[][] = [[]];
  for (const [index, atom] of atoms.entries()) {
    groups.at(-1)!.push(atom);
    const isLastOfPiece = atoms[index + 1]?.piece !== atom.piece;
    if (isLastOfPiece && atom.piece.after !== "" && index < atoms.length - 1) groups.push([]);
  }
  return groups.every((group) => group.length > 1) ? groups : [atoms];
}
