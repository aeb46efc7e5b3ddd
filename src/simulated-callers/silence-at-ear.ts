import type { CallRecord, SpokenUtterance } from "./call-figures.ts";

/**
 * Time from the first voiced sample of an interruption to the last audible sample of the stopped reply, ms. The client drops
 * unplayed speech at the interruption message. A reply that falls silent and resumes counts until its real end.
 * @param untilMs When the next utterance begins.
 */
export function silenceAtEarMs(
  { events, audio }: Pick<CallRecord, "events" | "audio">,
  { startMs }: Pick<SpokenUtterance, "startMs">,
  untilMs: number,
): number {
  const first = (type: "interruption" | "turn_end") =>
    events.find((event) => event.type === type && event.atMs >= startMs && event.atMs < untilMs)?.atMs;
  const stopMs = first("interruption");
  // Later speech belongs to the answer.
  const replyEndMs = stopMs ?? first("turn_end") ?? untilMs;
  let lastMs = startMs;
  for (const { receivedMs, audibleMs, audibleToMs } of audio) {
    if (audibleMs === undefined || audibleToMs === undefined || receivedMs >= replyEndMs) continue;
    if (stopMs === undefined) lastMs = Math.max(lastMs, audibleToMs);
    else if (audibleMs < stopMs) lastMs = Math.max(lastMs, Math.min(audibleToMs, stopMs));
  }
  return lastMs - startMs;
}

/** The longest silence that a sound put into a reply that went on, ms: the gap before a chunk that arrived after the sound began. */
export function pauseInReplyMs(
  { events, audio }: Pick<CallRecord, "events" | "audio">,
  { startMs }: Pick<SpokenUtterance, "startMs">,
  untilMs: number,
): number {
  // Speech after the end of a turn belongs to an answer.
  const replyEndMs =
    events.find(({ type, atMs }) => type === "turn_end" && atMs >= startMs && atMs < untilMs)?.atMs ?? untilMs;
  let longestMs = 0;
  for (const [index, { receivedMs, playMs }] of audio.entries()) {
    const before = audio[index - 1];
    if (before === undefined || receivedMs < startMs || receivedMs >= replyEndMs) continue;
    longestMs = Math.max(longestMs, playMs - before.playMs - before.durationMs);
  }
  return longestMs;
}
