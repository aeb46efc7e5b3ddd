import type { RecordSettings } from "../config/call-record-settings.ts";
import type { SessionEvent } from "../conversation/events.ts";
import type { Clock } from "../shared/clock.ts";
import { CallWriter } from "./call-writer.ts";
import type { CallLine } from "./store/record-lines.ts";
import type { RecordPart } from "./store/record-layout.ts";
import type { RecordFile } from "./store/record-writer.ts";

/** Connections that one call has had. Earlier ones are forgotten. */
const MOST_CONNECTIONS = 50;

export interface RecordFiles {
  readonly id: string;
  readonly files: ReadonlyMap<RecordPart, RecordFile>;
}

interface OpenRecordOptions extends RecordFiles {
  readonly settings: RecordSettings;
  readonly clock: Clock;
  /** Primary tag of the language that is spoken now. */
  readonly language: () => string;
}

/** A record that is kept now: its files, and the writer that fills them. */
export class OpenRecord {
  readonly #options: OpenRecordOptions;
  readonly #startMs: number;
  readonly writer: CallWriter;
  /** Those that resumed the call. */
  #connectionIds: readonly string[] = [];

  constructor(options: OpenRecordOptions) {
    const { clock } = options;
    this.#options = options;
    const startMs = clock.nowMs();
    this.#startMs = startMs;
    this.writer = new CallWriter({ ...options, nowMs: () => clock.nowMs() - startMs });
  }

  get id(): string {
    return this.#options.id;
  }

  take(event: SessionEvent): void {
    this.writer.take(event.type === "reply-audio" ? { ...event, playsAtMs: event.playsAtMs - this.#startMs } : event);
  }

  /** About the call as a whole. */
  add(line: CallLine): void {
    addLine(this.#options.files.get("call"), line);
  }

  resumedBy(connectionId: string): void {
    if (this.#connectionIds.at(-1) === connectionId) return;
    this.#connectionIds = [...this.#connectionIds, connectionId].slice(-MOST_CONNECTIONS);
    this.add({ resumedAs: this.#connectionIds });
  }

  /** Returns the file that takes the notes about the call. Undefined: the configuration wants none. */
  end(line: CallLine): RecordFile | undefined {
    const { clock, settings, files, language } = this.#options;
    const durationMs = Math.round(clock.nowMs() - this.#startMs);
    this.add({ durationMs, language: language(), ...line, ...this.writer.finish() });
    const notes = settings.after_call === undefined ? undefined : files.get("words");
    for (const file of files.values()) if (file !== notes) file.end();
    return notes;
  }

  /** Nothing more is kept. */
  abandon(): void {
    for (const file of this.#options.files.values()) file.abandon();
  }
}

export const addLine = (file: RecordFile | undefined, line: CallLine): void =>
  void file?.add(Buffer.from(JSON.stringify(line)));
