import { CALL_BYTES_PER_MS } from "../../src/audio/format.ts";
import { embeddedDefault } from "../../src/config/voice-configuration.ts";
import type { Engines } from "../../src/conversation/session-interface.ts";
import { Session, type SessionExtras } from "../../src/conversation/session.ts";
import type { GenerateRequest } from "../../src/engines/llm/language-model.ts";
import { silentLog } from "../../src/shared/log.ts";
import type { TranscribeRequest } from "../../src/engines/stt/speech-to-text.ts";
import { VirtualClock } from "./virtual-clock.ts";

export const LOUD = 12_000;

export interface Script {
  readonly greeting?: string;
  /** Called before a message is taken. */
  readonly onSend?: (type: string) => void;
  readonly transcribe?: (request: TranscribeRequest, signal: AbortSignal) => Promise<string>;
  readonly generate?: (request: GenerateRequest) => AsyncIterable<string>;
  readonly synthesize?: (text: string) => Promise<Float32Array>;
  readonly classify?: () => Promise<Readonly<Record<string, number>>>;
  readonly trace?: SessionExtras["trace"];
}

/** A session on engines that obey the test, to put their answers and faults in any order. Loud is speech; a clause lasts one second. */
export function scriptedCall(script: Script = {}) {
  const clock = new VirtualClock();
  const sent: { type: string; data: Readonly<Record<string, unknown>> }[] = [];
  const prompts: GenerateRequest[] = [];
  const faults: unknown[] = [];
  let open = 0;
  const opened = <Part extends object>(part: Part) => {
    open += 1;
    return { ...part, close: () => void (open -= 1) };
  };
  const idle = { close: async () => undefined };
  const engines: Engines = {
    vad: {
      ...idle,
      open: () => ({ frameSamples: 512, speechProbability: (frame) => (Math.abs(frame[100] ?? 0) > 0.1 ? 0.99 : 0) }),
    },
    stt: {
      ...idle,
      threads: 1,
      open: () =>
        opened({
          transcribe: async (request: TranscribeRequest, signal: AbortSignal) => {
            const text = (await script.transcribe?.(request, signal)) ?? "hello there my friend";
            const words = text.split(" ").filter(Boolean);
            const timed = words.map((word, at) => ({ word, start: at / 5, end: at / 5 + 0.1, confidence: 1 }));
            return { text, confidence: 1, words: timed };
          },
        }),
    },
    llm: {
      ...idle,
      open: () =>
        opened({
          async *generate(request: GenerateRequest) {
            prompts.push(request);
            yield* script.generate?.(request) ?? ["One two three four five. ", "Six seven eight nine ten."];
          },
          prefill: async () => undefined,
        }),
    },
    tts: {
      ...idle,
      sampleRateHz: 24_000,
      synthesize: async ({ text }) => (await script.synthesize?.(text)) ?? new Float32Array(24_000).fill(0.5),
    },
    endOfTurn: undefined,
    emotion: {
      ...idle,
      labels: ["neutral"],
      minSeconds: 1,
      maxSeconds: 3,
      classify: script.classify ?? (async () => ({ neutral: 1 })),
    },
  };
  const request = {
    connectionId: "c",
    voice: { ...embeddedDefault, ...(script.greeting === undefined ? {} : { greeting: script.greeting }) },
    client: {
      send: (type: string, data: object) => {
        script.onSend?.(type);
        sent.push({ type, data: data as Readonly<Record<string, unknown>> });
      },
    },
    onFault: (error: unknown) => void faults.push(error),
  };
  const session = new Session(request, engines, clock, silentLog, { trace: script.trace });
  session.configure({});

  const settle = async () => {
    for (let turns = 0; turns < 50; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  /** Audio at the pace of the clock. */
  const stream = async (level: number, ms: number, chunkMs = 100) => {
    const pcm = Buffer.alloc(chunkMs * CALL_BYTES_PER_MS);
    for (let at = 0; at < pcm.length; at += 2) pcm.writeInt16LE(level, at);
    for (let streamed = 0; streamed < ms; streamed += chunkMs) {
      session.pushAudio(pcm);
      await settle();
      clock.advance(chunkMs);
    }
    await settle();
  };
  const all = (type: string) => sent.filter((message) => message.type === type).map(({ data }) => data);
  const types = () => sent.map(({ type }) => type);
  return { clock, sent, prompts, faults, session, stream, settle, all, types, open: () => open };
}
