import type { VoiceConfiguration } from "../config/voice-configuration.ts";
import type { RecordFiles } from "./open-record.ts";
import type { RecordPart } from "./store/record-layout.ts";
import type { RecordFile } from "./store/record-writer.ts";

export interface EndedCall {
  /** That of its record. */
  readonly id: string;
  readonly voice: VoiceConfiguration;
  /** Takes the notes and ends then. Undefined: the configuration wants none. */
  readonly notes: RecordFile | undefined;
  /** For the receiver of the webhook. */
  readonly traceparent: string | undefined;
}

/** A call that goes on. It learns when its record is erased. */
export interface OpenCall {
  erased(): void;
}

/** The records of all calls, as a recorder uses them. */
export interface RecordPlace {
  /** Makes a record with files for these parts. @param call A call that goes on. */
  create(parts: readonly RecordPart[], call?: OpenCall): RecordFiles;
  /** Removes what was kept of a record that is open. */
  eraseOpen(id: string): void;
  /** A call is over, and so is its record except for the notes about the call. */
  ended(call: EndedCall): void;
  /** The server stops, and its calls end with it. */
  readonly isStopping: boolean;
}
