import type { History } from "./text/history.ts";
import type { SpokenSpan } from "../events.ts";
import { heardChars } from "./text/heard-chars.ts";
import { wholeSentences } from "./text/clause-splitter.ts";

/** A caller who has heard more of a sentence than this does not hear it again from its beginning: about five seconds. */
const LONG_CHARS = 80;

/** A reply that a lost connection cut. */
export interface CutReply {
  readonly text: string;
  readonly heardMs: number;
  readonly heardChars: number;
  /** Where the rest begins in `text`. Undefined: a new reply is written. */
  readonly continuesAt: number | undefined;
}

export interface CutBack {
  readonly cut: CutReply | undefined;
  /** The text to say now. Empty: the caller has heard everything that was written. */
  readonly rest: string;
  /** The reply that was being written is to be written again. */
  readonly again: boolean;
}

/** The reply under way when the connection was lost. */
export interface LostPart {
  readonly key: string;
  /** The text is complete. */
  readonly isWritten: boolean;
  /** The results bring an answer. */
  readonly hasCalls: boolean;
}

export interface CutBackOptions {
  readonly history: Pick<History, "unansweredReplies" | "cut">;
  /** Heard speech in ms, by the key of each reply that was sent over the lost connection. */
  readonly heardMs: ReadonlyMap<string, number>;
  readonly lost: LostPart | undefined;
  readonly keepsDot: (before: string) => boolean;
}

/** Corrects the conversation to what the caller heard before their connection was lost, and collects what they missed. */
export function cutBack({ history, heardMs, lost, keepsDot }: CutBackOptions): CutBack {
  let cut: CutReply | undefined;
  let again = false;
  const rest: string[] = [];
  for (const { key, text, spoken } of history.unansweredReplies) {
    const ms = heardMs.get(key);
    if (ms === undefined) continue;
    const isLost = key === lost?.key;
    const end = isLost ? spoken.text.length : Math.max(0, spoken.text.indexOf(text)) + text.length;
    const heard = Math.min(end, heardChars(spoken.text, spoken.spans, ms));
    const isUnwritten = isLost && !lost.isWritten;
    if (isUnwritten && lost.hasCalls) continue;
    if (!isUnwritten && spoken.text.slice(heard, end).trim() === "") continue;
    const from = isUnwritten ? 0 : restartAt(spoken.text, spoken.spans, heard, keepsDot);
    history.cut(key, from);
    again ||= isUnwritten;
    if (!isUnwritten) rest.push(spoken.text.slice(from, end).trim());
    const whole = spoken.text.slice(0, end);
    if (cut === undefined)
      cut = { text: whole, heardMs: ms, heardChars: heard, continuesAt: isUnwritten ? undefined : from };
    else cut = { ...cut, text: `${cut.text} ${whole}` };
  }
  return { cut, rest: rest.join(" "), again };
}

/** The start of the sentence that was cut, or of its clause when most of a long sentence was heard. */
function restartAt(
  text: string,
  spans: readonly SpokenSpan[],
  heard: number,
  keepsDot: (before: string) => boolean,
): number {
  const next = text.slice(0, heard + 1);
  const sentence = wholeSentences(next, keepsDot)?.length ?? 0;
  if (heard - sentence <= LONG_CHARS) return sentence;
  return Math.max(sentence, spans.findLast(({ fromChar }) => fromChar <= heard)?.fromChar ?? 0);
}
