import { CALL_HZ, MODEL_HZ } from "../../src/audio/format.ts";
import { floatToInt16 } from "../../src/audio/pcm16.ts";
import { resampleAll } from "../../src/audio/resampler.ts";
import { embeddedDefault } from "../../src/config/voice-configuration.ts";
import type { Engines } from "../../src/engines/engines.ts";
import { Session } from "../../src/conversation/session/session.ts";
import type { ServerData, ServerMessageType } from "../../src/doors/voice/server-messages.ts";
import { VoiceEncoder } from "../../src/doors/voice/encode.ts";
import { decodeSettings } from "../../src/config/settings/settings-form.ts";
import type { SessionEvent } from "../../src/conversation/events.ts";
import type { SessionSettingsPatch } from "../../src/config/settings/settings-schema.ts";
import { silentLog } from "../../src/shared/log.ts";
import type { TranscribeRequest, Transcript } from "../../src/engines/stt/speech-to-text.ts";
import { VirtualClock } from "../../test/support/virtual-clock.ts";

const STEP_MS = 20;

export interface Ears {
  readonly vad: Engines["vad"];
  readonly endOfTurn: Engines["endOfTurn"];
  readonly transcribe: (request: TranscribeRequest) => Promise<Transcript>;
}

export interface HeardTurn {
  readonly text: string;
  readonly lastPartial: string;
  readonly partials: number;
  readonly segments: number;
  readonly turns: number;
  /** Time from the last voiced sample to the first `turn_end` after it, by the virtual clock. */
  readonly delayMs: number;
  /** Audio decoded between the last voiced sample and the end of the turn, seconds. */
  readonly decodedAfterSeconds: number;
  readonly longestClipSeconds: number;
  readonly decodedSeconds: number;
}

/** One turn in a separate session. Its recogniser takes `decodeMs` for a decode, and decodes any number of clips at a time. */
export async function hearTurn(
  samples: Float32Array,
  voiceEnd: number,
  { vad, endOfTurn, transcribe }: Ears,
  decodeMs: (request: TranscribeRequest) => number,
  settings: SessionSettingsPatch,
): Promise<HeardTurn> {
  const clock = new VirtualClock();
  const decodes: { fromMs: number; toMs: number; seconds: number; kind: string }[] = [];
  let waiting = 0;
  const idle = { close: async () => undefined };
  const engines: Engines = {
    vad,
    endOfTurn,
    stt: {
      ...idle,
      threads: 1,
      open: () => ({
        async transcribe(request, signal) {
          const decode = {
            fromMs: clock.nowMs(),
            toMs: Infinity,
            seconds: request.samples.length / MODEL_HZ,
            kind: request.kind,
          };
          decodes.push(decode);
          waiting += 1;
          const transcript = await transcribe(request).finally(() => (waiting -= 1));
          try {
            await clock.passed(decodeMs(request), signal);
          } finally {
            decode.toMs = clock.nowMs();
          }
          return transcript;
        },
        close: () => undefined,
      }),
    },
    llm: {
      ...idle,
      open: () => ({ async *generate() {}, prefill: async () => undefined, close: () => undefined }),
    },
    tts: { ...idle, sampleRateHz: CALL_HZ, synthesize: async () => new Float32Array(CALL_HZ / 10) },
    emotion: { ...idle, labels: ["neutral"], minSeconds: 1, maxSeconds: 3, classify: async () => ({ neutral: 1 }) },
  };
  type Sent = { [Type in ServerMessageType]: { type: Type; data: ServerData[Type]; atMs: number } }[ServerMessageType];
  const sent: Sent[] = [];
  const encoder = new VoiceEncoder({ connectionId: "long", nowMs: () => performance.now() });
  const emit = (event: SessionEvent) => {
    for (const message of encoder.encode(event)) sent.push({ ...message, atMs: clock.nowMs() });
  };
  const onFault = (error: unknown): never => {
    throw error;
  };
  const session = new Session(
    { connectionId: "long", owner: "", voice: embeddedDefault, emit, onFault },
    engines,
    clock,
    silentLog,
  );
  session.configure(decodeSettings(settings));
  const settled = async () => {
    for (let quiet = 0; quiet < 3; quiet = waiting > 0 ? 0 : quiet + 1)
      await new Promise((resolve) => setImmediate(resolve));
  };
  const wire = resampleAll(samples, MODEL_HZ, CALL_HZ);
  const pcm = new Int16Array(wire.length);
  floatToInt16(wire, pcm);
  const step = (CALL_HZ * STEP_MS) / 1000;
  const endMs = (voiceEnd * 1000) / MODEL_HZ;
  const isOver = () => sent.some(({ type, atMs }) => type === "turn_end" && atMs > endMs);
  for (let at = 0; !isOver() && at < pcm.length + 60 * 50 * step; at += step) {
    session.pushAudio(at < pcm.length ? pcm.subarray(at, at + step) : new Int16Array(step));
    await settled();
    clock.advance(STEP_MS);
    await settled();
  }
  await session.close();
  const transcriptions = sent.flatMap((message) => (message.type === "transcription" ? [message.data] : []));
  const finals = transcriptions.filter(({ is_speech_final }) => is_speech_final);
  const partials = transcriptions.filter(({ is_speech_final }) => !is_speech_final);
  const overMs = sent.find(({ type, atMs }) => type === "turn_end" && atMs > endMs)?.atMs ?? Infinity;
  const late = decodes.filter(({ fromMs, toMs }) => toMs > endMs && fromMs < overMs);
  return {
    text: finals.map(({ accumulated_transcript }) => accumulated_transcript).join(" "),
    lastPartial: partials.at(-1)?.accumulated_transcript ?? "",
    partials: partials.length,
    segments: partials.filter(({ is_final }) => is_final).length,
    turns: finals.length,
    delayMs: overMs - endMs,
    decodedAfterSeconds: late.filter(({ kind }) => kind === "final").reduce((sum, { seconds }) => sum + seconds, 0),
    longestClipSeconds: Math.max(...decodes.map(({ seconds }) => seconds)),
    decodedSeconds: decodes.reduce((sum, { seconds }) => sum + seconds, 0),
  };
}
