import { peak } from "../../src/audio/level.ts";
import type { Engines } from "../../src/engines/engines.ts";
import type { GenerateRequest, LanguageSession, ToolCall } from "../../src/engines/llm/language-model.ts";
import type { SpeechRecognizer, TranscribeRequest, Transcript } from "../../src/engines/stt/speech-to-text.ts";

/** `confidence`: of each word. Default: 1. */
export type ScriptedText = Pick<Transcript, "text" | "isDoubtful"> & Partial<Pick<Transcript, "confidence">>;

export interface EngineScript {
  readonly transcribe?: (request: TranscribeRequest, signal: AbortSignal) => Promise<string | ScriptedText>;
  /** Words that are known before `transcribe` ends. */
  readonly early?: (request: TranscribeRequest) => string | undefined;
  /** Absent: the recogniser cannot identify languages. */
  readonly identifyLanguage?: SpeechRecognizer["identifyLanguage"];
  readonly speechIn?: Engines["speechIn"];
  readonly generate?: (request: GenerateRequest) => AsyncIterable<string | ToolCall>;
  readonly prefill?: LanguageSession["prefill"];
  readonly synthesize?: (text: string) => Promise<Float32Array>;
  readonly classify?: () => Promise<Readonly<Record<string, number>>>;
}

/** Engines that answer as the script defines, in any order and with any fault. Loud samples are speech, and a clause lasts one second. */
export function fakeEngines(script: EngineScript) {
  const prompts: GenerateRequest[] = [];
  let open = 0;
  const opened = <Part extends object>(part: Part) => {
    open += 1;
    return { ...part, close: () => void (open -= 1) };
  };
  const idle = { close: async () => undefined };
  const engines: Engines = {
    vad: {
      ...idle,
      open: () => ({
        frameSamples: 512,
        speechProbability: (frame) => (peak(frame.subarray(90, 110)) > 0.1 ? 0.99 : 0),
      }),
    },
    stt: {
      ...idle,
      threads: 1,
      open: () =>
        opened({
          transcribe: async (
            request: TranscribeRequest,
            signal: AbortSignal,
            early?: (transcript: Transcript) => void,
          ) => {
            const known = script.early?.(request);
            if (known !== undefined) early?.({ text: known, confidence: 1, words: wordsAt(known) });
            const heard = (await script.transcribe?.(request, signal)) ?? "hello there my friend";
            const { text, confidence = 1, ...rest } = typeof heard === "string" ? { text: heard } : heard;
            return { ...rest, text, confidence, words: wordsAt(text, confidence) };
          },
          ...(script.identifyLanguage && { identifyLanguage: script.identifyLanguage }),
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
          prefill: script.prefill ?? (async () => undefined),
        }),
    },
    tts: {
      ...idle,
      sampleRateHz: 24_000,
      synthesize: async ({ text }) => (await script.synthesize?.(text)) ?? new Float32Array(24_000).fill(0.5),
    },
    endOfTurn: undefined,
    speechIn: script.speechIn,
    emotion: {
      ...idle,
      labels: ["neutral"],
      minSeconds: 1,
      maxSeconds: 3,
      classify: script.classify ?? (async () => ({ neutral: 1 })),
    },
  };
  /** `open`: recognisers and language sessions that are open now. */
  return { engines, prompts, open: () => open };
}

const wordsAt = (text: string, confidence = 1) =>
  text
    .split(" ")
    .filter(Boolean)
    .map((word, at) => ({ word, start: at / 5, end: at / 5 + 0.1, confidence }));
