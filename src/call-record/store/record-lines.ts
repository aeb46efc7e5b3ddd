import { z } from "zod";

/** Times within a call are ms since its start. */
const ms = z.number();

/** Lines of the part `call`. Later lines replace fields of earlier ones. */
export const callLineSchema = z.looseObject({
  startedAt: z.exactOptional(z.string()),
  endedAt: z.exactOptional(z.string()),
  configId: z.exactOptional(z.string()),
  projectId: z.exactOptional(z.string()),
  connectionId: z.exactOptional(z.string()),
  /** Connections that resumed the call. */
  resumedAs: z.exactOptional(z.array(z.string()).readonly()),
  /** The name that the client gave for the caller, if it gave one. */
  callerId: z.exactOptional(z.string()),
  keyId: z.exactOptional(z.string()),
  language: z.exactOptional(z.string()),
  /** The server's process, which tells a call that goes on from one that a crash interrupted. */
  process: z.exactOptional(z.string()),
  endReason: z.exactOptional(z.string()),
  transferTo: z.exactOptional(z.string()),
  summary: z.exactOptional(z.string()),
  durationMs: z.exactOptional(ms),
  turns: z.exactOptional(z.int()),
  /** Parts that were hidden, by kind. */
  hidden: z.exactOptional(z.record(z.string(), z.int())),
  /** Blocks that the disk did not take. */
  lost: z.exactOptional(z.int()),
  keeps: z.exactOptional(z.array(z.string())),
  retentionDays: z.exactOptional(z.record(z.string(), z.number())),
  consent: z.exactOptional(z.array(z.strictObject({ state: z.string(), how: z.string(), at: z.string() }))),
});
export type CallLine = z.output<typeof callLineSchema>;

export type ConsentChange = NonNullable<CallLine["consent"]>[number];

/** A word with its times. */
export type TimedWord = readonly [word: string, startMs: number, endMs: number];

/** Lines of the part `words`. A line with the same key replaces an earlier one. */
export type WordsLine =
  | {
      readonly type: "caller";
      /** -1, -2, ...: words that the caller typed, or keys that they pressed. */
      readonly turn: number;
      readonly typed?: "text" | "keys";
      readonly startMs: number;
      readonly endMs: number;
      readonly text: string;
      readonly words?: readonly TimedWord[];
      readonly confidence?: number;
      readonly language?: string;
      /** The turn goes on: these are its words so far. */
      readonly isOpen?: true;
    }
  | { readonly type: "overlap"; readonly startMs: number; readonly endMs: number; readonly text: string }
  | {
      readonly type: "assistant";
      readonly reply: number;
      readonly startMs: number;
      readonly endMs: number;
      readonly text: string;
      /** The part of the text that the caller heard, when a barge-in or a stop cut the rest. */
      readonly heard?: string;
      readonly how?: string;
      readonly isOpen?: true;
    }
  | {
      readonly type: "emotion";
      readonly atMs: number;
      readonly scores: readonly (readonly [name: string, score: number])[];
    }
  | { readonly type: "gap"; readonly atMs: number }
  | ({ readonly type: "notes"; readonly atMs: number } & CallNotes);

/** Written by the language model after the call. */
export interface CallNotes {
  readonly summary?: string;
  /** They fit the schema of the voice configuration. */
  readonly fields?: unknown;
  /** Why a part is missing. */
  readonly fault?: NotesFault;
}

/** `unfit`: the fields did not fit the schema. */
export type NotesFault = "unfit" | "failed" | "too late" | "too many calls" | "server stopped";

export interface ToolLine {
  readonly type: "tool";
  readonly callId: string;
  readonly name: string;
  readonly atMs: number;
  readonly durationMs: number;
  readonly outcome: string;
  readonly arguments: string;
  readonly result: string;
}

const keyOf = (line: WordsLine): string | undefined =>
  line.type === "caller" ? `c${String(line.turn)}` : line.type === "assistant" ? `a${String(line.reply)}` : undefined;

const startOf = (line: WordsLine): number => ("startMs" in line ? line.startMs : line.atMs);

/** The last line of each turn and reply. */
export class SettledLines {
  readonly #byKey = new Map<string, WordsLine>();

  add(line: WordsLine): void {
    this.#byKey.set(keyOf(line) ?? `#${String(this.#byKey.size)}`, line);
  }

  /** Without an order. */
  get all(): Iterable<WordsLine> {
    return this.#byKey.values();
  }

  /** In the order of their times. */
  get sorted(): WordsLine[] {
    return [...this.#byKey.values()].toSorted((one, other) => startOf(one) - startOf(other));
  }
}
