import type { WireFormat } from "../../audio/wire-audio.ts";

/** A protocol in which a telephone system streams one call over a WebSocket. Decoding and encoding have no state. */
export interface CallProtocol {
  matches(url: string): boolean;
  /** The configuration and the key in the path, for telephone systems that send no query. */
  pathParameters(url: string): { readonly configId?: string | undefined; readonly apiKey?: string | undefined };
  /** The formats that can be configured, as part of an error message. */
  readonly formats: string;
  /** Never throws. */
  decode(frame: Buffer, isBinary: boolean): CallInput;
}

export type CallInput =
  | CallStart
  | { readonly type: "audio"; readonly bytes: Uint8Array }
  /** A key of the telephone: 0 to 9, *, # or A to D. */
  | { readonly type: "key"; readonly key: string }
  /** All audio before the mark with this name was played. */
  | { readonly type: "mark"; readonly name: string }
  /** The queue of the telephone system is full, or has room again. */
  | { readonly type: "full" | "room" }
  | { readonly type: "hung-up" }
  | { readonly type: "ignored" }
  | { readonly type: "invalid"; readonly code: CallProblemCode; readonly message: string };

export type CallProblemCode = "INVALID_MESSAGE" | "UNKNOWN_MESSAGE_TYPE" | "AUDIO_PROCESSING_FAILED";

export interface CallStart {
  readonly type: "start";
  /** How the telephone system names the call, for the log. */
  readonly name: string;
  /** Undefined: `formatName` cannot be decoded. */
  readonly format: WireFormat | undefined;
  readonly formatName: string;
  /** Audio is sent in multiples of this. */
  readonly frameBytes: number;
  readonly variables: Readonly<Record<string, string>>;
  /** The frame of a command; undefined when the protocol does not have the command. */
  readonly encode: (command: CallCommand) => string | Uint8Array | undefined;
}

export type CallCommand =
  | { readonly type: "audio"; readonly bytes: Uint8Array }
  | { readonly type: "mark"; readonly name: string }
  /** Drop the audio that is not played. */
  | { readonly type: "flush" }
  | { readonly type: "pause" | "continue" | "answer" | "hang-up" };

export const invalid = (code: CallProblemCode, message: string): CallInput => ({ type: "invalid", code, message });

/** A name of the protocol, for the log. Any other text may be a caller's, and is not logged. */
export const protocolName = (text: string): string => (/^[A-Za-z0-9_./-]{1,32}$/u.test(text) ? text : "(unreadable)");

/** An identifier of the telephone system, for the log. Text with spaces may hold a caller's words, and is not logged. */
export const callName = (text: string): string =>
  /^[A-Za-z0-9_.:+=/-]{1,256}$/u.test(text) ? text.slice(0, 64) : "(unreadable)";

/** One line without control characters. */
export const plainLine = (text: string, maxLength: number): string =>
  text
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ")
    .trim()
    .slice(0, maxLength);

/** Frames are cut at this length: a format with odd settings must not make the server wait for minutes of audio. */
const MOST_FRAME_MS = 200;
const USUAL_FRAME_MS = 20;

/** A usable frame size: the telephone system's own, or that of 20 ms. */
export function frameBytesOf(own: number | undefined, bytesEachMs: number): number {
  const isUsable = own !== undefined && Number.isInteger(own) && own > 0 && own <= MOST_FRAME_MS * bytesEachMs;
  return isUsable ? own : USUAL_FRAME_MS * bytesEachMs;
}
