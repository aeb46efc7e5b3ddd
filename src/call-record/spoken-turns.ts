import type { TypedBy } from "../conversation/session/session-interface.ts";
import type { Word } from "../engines/stt/speech-to-text.ts";
import { masked, type Finding } from "./redaction/finding.ts";
import type { Redactor } from "./redaction/redactor.ts";
import type { Silence } from "./call-audio.ts";
import type { TimedWord } from "./store/record-lines.ts";

/** A caller's turn as its words were heard. Times are session ms, those of typed words ms of the record. */
export interface HeardTurn {
  /** Below 0: typed words. */
  readonly turn: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly text: string;
  /** Its words with their times. Empty: the times are not known. */
  readonly words: readonly Word[];
  readonly confidence: number;
  readonly language: string;
  readonly typed?: TypedBy;
}

export interface RedactedTurn {
  readonly heard: HeardTurn;
  readonly text: string;
  readonly words: readonly TimedWord[];
  readonly silences: readonly Silence[];
  readonly hidden: readonly Finding[];
}

/** A number may be dictated over so many turns. */
const LONGEST_CHAIN = 8;
/** Recognised words begin and end a little earlier or later than the sound. */
const MARGIN_MS = 200;
const SPOKEN_DIGITS =
  /\d|\b(?:zero|oh|one|two|three|four|five|six|seven|eight|nine|null|eins|zwei|drei|vier|fünf|sechs|sieben|acht|neun|cero|uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|zéro|deux|trois|quatre|cinq|sept|huit|neuf|due|quattro|cinque|sei|sette|otto|nove|dois|três|quatro|cinco|sete|oito|nul|een|twee|drie|vijf|zes|zeven|negen)\b/iu;

/**
 * Redacts a caller's turns. A number that is dictated over several turns is found in all of them together: while more digits may
 * follow, the last ones are hidden.
 */
export class SpokenTurns {
  readonly #redactor: Redactor;
  #chain: HeardTurn[] = [];
  #before = "";

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  /** Digits were dictated last, and more may follow. */
  get isDictating(): boolean {
    const last = this.#chain.at(-1);
    return last !== undefined && SPOKEN_DIGITS.test(last.text.split(/\s+/u).slice(-3).join(" "));
  }

  /** @param before The service's last words. Returns this turn, and earlier ones whose text changed. */
  add(turn: HeardTurn, before: string): RedactedTurn[] {
    const continues = this.isDictating && SPOKEN_DIGITS.test(turn.text.split(/\s+/u).slice(0, 4).join(" "));
    const closed = continues ? [] : this.settle();
    if (!continues) {
      this.#chain = [];
      this.#before = before;
    }
    this.#chain = [...this.#chain, turn].slice(-LONGEST_CHAIN);
    return [...closed, ...this.#redacted(true)];
  }

  /** No more digits follow. Returns the turns whose last digits need not be hidden. */
  settle(): RedactedTurn[] {
    const settled = this.isDictating ? this.#redacted(false) : [];
    this.#chain = [];
    return settled;
  }

  #redacted(isOpen: boolean): RedactedTurn[] {
    const texts = this.#chain.map(({ text }) => text);
    const joined = texts.join(" ");
    const language = this.#chain.at(-1)?.language ?? "en";
    const findings = this.#redactor.find(joined, { speaker: "caller", language, before: this.#before, isOpen });
    let from = 0;
    return this.#chain.map((heard) => {
      const own = within(findings, from, from + heard.text.length);
      from += heard.text.length + 1;
      return this.#turn(heard, own);
    });
  }

  #turn(heard: HeardTurn, hidden: readonly Finding[]): RedactedTurn {
    const { words, text } = heard;
    const places = placesOf(text, words);
    if (places === undefined) {
      const silences: Silence[] = hidden.length === 0 ? [] : [[-Infinity, Infinity]];
      return { heard, text: masked(text, hidden), words: [], silences, hidden };
    }
    const findingAt = (index: number) =>
      hidden.find(({ from, to }) => from < (places[index]?.to ?? 0) && to > (places[index]?.from ?? 0));
    const silences = words.flatMap((word, index): Silence[] =>
      findingAt(index) === undefined ? [] : [[word.start * 1000 - MARGIN_MS, word.end * 1000 + MARGIN_MS]],
    );
    const timed = words.map(({ word, start, end }, index): TimedWord => {
      const finding = findingAt(index);
      return [finding === undefined ? word : `[${finding.kind}]`, Math.round(start * 1000), Math.round(end * 1000)];
    });
    return { heard, text: masked(text, hidden), words: timed, silences: bridged(silences), hidden };
  }
}

/** Between two hidden words nothing is kept either: "four one one, one one". */
function bridged(silences: readonly Silence[]): Silence[] {
  const result: Silence[] = [];
  for (const [from, to] of silences) {
    const last = result.at(-1);
    if (last !== undefined && from - last[1] < 1_500) result[result.length - 1] = [last[0], Math.max(last[1], to)];
    else result.push([from, to]);
  }
  return result;
}

/** The findings inside a part of the joined text, relative to it. */
const within = (findings: readonly Finding[], from: number, to: number): Finding[] =>
  findings
    .filter((finding) => finding.from < to && finding.to > from)
    .map(({ kind, ...finding }) => ({
      kind,
      from: Math.max(0, finding.from - from),
      to: Math.min(to, finding.to) - from,
    }));

/** Where each word stands in the text. Undefined when they do not agree: then the times of a part of the text are not known. */
function placesOf(text: string, words: readonly Word[]): { from: number; to: number }[] | undefined {
  let at = 0;
  const places: { from: number; to: number }[] = [];
  for (const { word } of words) {
    const from = text.indexOf(word, at);
    if (from < 0 || text.slice(at, from).trim() !== "") return undefined;
    at = from + word.length;
    places.push({ from, to: at });
  }
  return text.slice(at).trim() === "" ? places : undefined;
}
