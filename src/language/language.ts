import type { Remainder } from "./dictation.ts";
import { agreesBy, refusesBy, type FactWords } from "./facts.ts";
import type { Expectation, SpokenAnswer } from "./expectation.ts";
import type { OverlapWords } from "./overlap-words.ts";
import { speakablePlain } from "./spoken/plain-speech.ts";
import { timeNoteIn } from "./time-note.ts";

/** The pack of a language: words, rules and sentences that the conversation uses. Languages without a pack use `neutral`. */
export interface Language {
  /** Primary BCP-47 tag: "de". */
  readonly code: string;
  /** Undefined: no words are known, and the length of a sound alone decides whether it interrupts. */
  readonly overlap: OverlapWords | undefined;
  /** The end-of-turn model's table of word odds (`turn-words.json`) is of this language. */
  readonly hasSentenceEndOdds: boolean;
  /** True when more words must follow `text`. */
  readonly isUnfinished: (text: string) => boolean;
  /** The kind of answer that these words of the service ask for. */
  readonly expectedAnswer: (said: string) => Expectation;
  /** The missing part of the number that the caller dictates. `said`: the service's last words. `text`: the caller's so far. */
  readonly remainder: (said: string, text: string) => Remainder;
  /** The number or letters that these words of the service ask for. */
  readonly asksFor?: (said: string) => SpokenAnswer | undefined;
  /** Spelled words and dictated numbers of a caller in one written form. Absent: as the recogniser writes them. */
  readonly spelled?: (<Each extends SpokenWord>(words: readonly Each[]) => readonly Each[]) | undefined;
  /** A reply as it is said: numbers and dates in words. It may be empty. A second call changes nothing. */
  readonly speakable: (text: string) => string;
  /** The full stop after this text of a reply belongs to an abbreviation or a number. It does not end a sentence. */
  readonly keepsDot: (before: string) => boolean;
  /** The line before the caller's words in a prompt: "(It is Friday, November 20, 2026, 7:41 PM.)". */
  readonly timeNote: (now: Date, timeZone: string) => string;
  /** Sentences to say while a tool works. Empty: nothing is said. */
  readonly fillers: readonly string[];
  /** Said in the place of a reply when the language model fails. */
  readonly excuse: string;
  readonly rings: Rings;
  readonly recording: RecordingWords;
  readonly facts: FactWords;
}

/** A recognised word. Times are seconds, and the confidence is 0 to 1. */
export interface SpokenWord {
  readonly word: string;
  readonly start: number;
  readonly end: number;
  readonly confidence: number;
}

/** Sentences for timers and reminders that are due. `label`: the caller's name for it; may be empty. */
export interface Rings {
  readonly timer: (label: string) => string;
  readonly reminder: (label: string) => string;
}

/** Sentences about the record of a call. */
export interface RecordingWords {
  readonly announced: string;
  readonly asked: string;
  /** A call that needs the caller's consent ends after it. */
  readonly refused: string;
  /** Matches words about a recording. */
  readonly mentioned: RegExp;
  /** Matches words that want a recording stopped or erased. */
  readonly unwanted: RegExp;
}

const NEVER = /(?!)/u;

/** Adds nothing: sound and silence decide, and digits are left to the voice. */
export const neutral = (code: string): Language => ({
  code,
  overlap: undefined,
  hasSentenceEndOdds: false,
  isUnfinished: () => false,
  expectedAnswer: () => "anything",
  remainder: () => "nothing",
  speakable: speakablePlain,
  keepsDot: () => false,
  timeNote: timeNoteIn(code),
  fillers: [],
  excuse: "Sorry, I cannot answer that right now.",
  rings: {
    timer: (label) => label || "Ring, ring.",
    reminder: (label) => label,
  },
  recording: {
    announced: "This call is recorded.",
    asked: "May this call be recorded?",
    refused: "Without a recording this call cannot go on. Goodbye.",
    mentioned: NEVER,
    unwanted: NEVER,
  },
  facts: {
    one: /(?:)/u,
    named: { noon: NEVER, midnight: NEVER, half: NEVER, quarter: NEVER, two: NEVER, period: NEVER },
    vagueNumbers: NEVER,
    halfDays: { morning: [], afternoon: [], night: [] },
    vagueDays: NEVER,
    asks: NEVER,
    claims: [],
    promises: [],
    agrees: agreesBy("ok|okay|yes", "please"),
    refuses: refusesBy("no", "no"),
    corrects: () => false,
    atTime: NEVER,
    excludes: /(?:)/u,
    joins: NEVER,
    reports: NEVER,
    readBack: (act, values) => `${act}: ${values}?`,
    ask: (labels) => `${labels.join(", ")}?`,
    notDone: "I have not done that.",
    yes: "yes",
    no: "no",
  },
});
