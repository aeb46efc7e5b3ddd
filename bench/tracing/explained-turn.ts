import { CALL_BYTES_PER_MS, CALL_HZ } from "../../src/audio/format.ts";
import { int16ToFloat, samplesOf } from "../../src/audio/pcm16.ts";
import { voicedSpan } from "../../src/simulated-callers/sound.ts";
import { clip, silence } from "../../test/support/audio.ts";
import { TestBox } from "../../test/support/box.ts";

/** Parts of the answer's delay, one after the other. */
export const PARTS = ["end of turn", "final transcript", "language model", "first clause of speech"] as const;
const PIECE_MS = 20;
const SILENCE_SECONDS = 6;

export interface ReadSpan {
  readonly name: string;
  /** Unix time, ms. */
  readonly startMs: number;
  readonly endMs: number;
}

/** A backend for traces, as an operator reads it. */
export interface TraceBackend {
  /** The lines of `tracing` in the server's configuration. */
  readonly settings: string;
  readonly host: string;
  /** The spans of the last call. Called when the server has sent them all. */
  spans(): Promise<readonly ReadSpan[]>;
}

export interface ExplainedTurn {
  /** From the caller's last voiced sample to the reply's first audio, measured by the caller alone. */
  readonly callerMs: number;
  readonly parts: readonly ReadSpan[];
  readonly partsMs: number;
  readonly spans: readonly ReadSpan[];
}

/** One spoken turn over a real socket in real time, measured by the caller, and its spans as the backend has them. */
export async function explainTurn(backend: TraceBackend, recording: string): Promise<ExplainedTurn> {
  const box = await TestBox.start(
    { quiet: "config_id: quiet\nsystem_prompt: You are Oak.\n" },
    `tracing: { ${backend.settings} }\negress: { allowed_hosts: ["${backend.host}"] }\n`,
  );
  const caller = await box.call({}, "quiet");
  const speech = clip(recording);
  const pcm = Buffer.concat([speech, silence(SILENCE_SECONDS)]);
  const answered = caller.next("tts_chunk").then(() => performance.now());
  const startMs = performance.now();
  let isAnswered = false;
  void answered.then(() => (isAnswered = true));
  // A piece is sent when its last sample was spoken, as a microphone does.
  for (let at = 0; at < pcm.length && !isAnswered; at += PIECE_MS * CALL_BYTES_PER_MS) {
    const dueMs = startMs + at / CALL_BYTES_PER_MS + PIECE_MS;
    await new Promise((resolve) => setTimeout(resolve, dueMs - performance.now()));
    caller.client.sendAudio(pcm.subarray(at, at + PIECE_MS * CALL_BYTES_PER_MS));
  }
  const samples = new Float32Array(speech.length / 2);
  int16ToFloat(samplesOf(speech), samples);
  const callerMs = (await answered) - startMs - ((voicedSpan(samples)?.to ?? 0) / CALL_HZ) * 1000;
  caller.client.close();
  await box.close();
  const spans = await backend.spans();
  const parts = PARTS.flatMap((name) => spans.filter((span) => span.name === name).slice(0, 1));
  const partsMs = parts.reduce((sum, part) => sum + part.endMs - part.startMs, 0);
  return { callerMs, parts, partsMs, spans };
}
