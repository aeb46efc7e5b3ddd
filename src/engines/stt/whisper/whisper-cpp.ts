import { MODEL_HZ } from "../../../audio/format.ts";
import { statSync } from "node:fs";
import { availableParallelism } from "node:os";
import type { ModelProcess } from "../../../child-processes/model-process.ts";
import { startModelProcess } from "../../../child-processes/supervisor.ts";
import { deadlineLimit } from "../../../child-processes/process-limits.ts";
import { workerUrl } from "../../../child-processes/worker-url.ts";
import type { Log } from "../../../shared/log.ts";
import type { GpuChoice } from "./gpu.ts";
import { contextOf, contextsFrom, type ContextRule } from "../audio/clip.ts";
import { checkModelFile, type ModelShape } from "../files/model-header.ts";
import type { Heard } from "../decoded.ts";
import type { SecondOpinion, SureRecognizer } from "../ears/ear.ts";
import { speechToText, type CallerCalls, type SpeechToTextProcess } from "../recognizer.ts";
import type { LanguageScores } from "../speech-to-text.ts";

export interface WhisperCppOptions {
  /** A whisper.cpp model file (ggml) of Whisper or Parakeet TDT. The file's header says which. */
  readonly path: string;
  /** Clips decoded at the same time. Default: the cores divided by `threads`, at most 4. */
  readonly lanes?: number;
  /** CPU threads of one decode. Waiting threads spin, so more threads than idle cores are slow. 0 or absent: 1. */
  readonly threads?: number;
  /**
   * Encoder positions, 50 a second; longer clips are cut at a quiet place. 0 or absent: as `contextRule` says.
   */
  readonly audioContext?: number;
  /** Absent: models of a published Whisper's width get the clip plus 2 s, at least 10 s; others get the full context. */
  readonly contextRule?: ContextRule | undefined;
  /** For clips that another recogniser has written too. Absent: as for the others. */
  readonly secondOpinionRule?: ContextRule | undefined;
  readonly gpu?: GpuChoice;
  /** Beam width of finals, 1 to 8. 0 or absent: as `usualBeams` says. */
  readonly beams?: number;
  /** A request without progress for this long fails alone. Default 30. */
  readonly deadlineSeconds?: number | undefined;
}

/** Encoder lengths for clips. */
export interface Contexts {
  /** Positions, ascending. Empty: the model's full context. */
  readonly sizes: readonly number[];
  readonly marginSeconds: number;
}

/** Sent to the worker at every start. */
export interface WhisperCppInit {
  readonly modelPath: string;
  readonly lanes: number;
  readonly threads: number;
  readonly contexts: Contexts;
  /** For clips that another recogniser has written too. */
  readonly secondOpinionContexts: Contexts;
  readonly alignment: string;
  /** Lag of the alignment behind the words. */
  readonly alignmentDelaySeconds: number;
  /** 0: as `usualBeams` says. */
  readonly beams: number;
  readonly gpu: GpuChoice;
}

/** Measured on flite voices, whose phone times are known: docs/decisions/0020-whisper-binding.md. */
const BASE_DELAY_SECONDS = 0.25;

/** Decodes run in libuv's pool, which has four threads. */
const MAX_LANES = 4;

/** whisper.cpp in a child process, with a Whisper or a Parakeet model. Rejects with ENGINE_START_FAILED, whose message names the fault. */
export async function startWhisperCpp(
  options: WhisperCppOptions,
  log: Log,
  signal?: AbortSignal,
): Promise<SpeechToTextProcess<SureRecognizer>> {
  const init = initFor(options);
  const process: ModelProcess = await startModelProcess({
    name: "speech recognition",
    model: options.path,
    worker: workerUrl("whisper-cpp-worker", import.meta.url),
    init,
    log,
    signal,
    limits: deadlineLimit(options.deadlineSeconds),
    remedy:
      "Install the model again, or configure another one. If npm's packages have changed since the installation, " +
      "run `node scripts/build-native.mjs`.",
  });
  let judgements = 0;
  const name = () => judgements++;
  const isMultilingual = (whisperLanguages(options.path)?.length ?? 0) > 1;
  return speechToText(process, init, (calls) => openRecognizer(calls, isMultilingual, name));
}

/** `nameJudgement`: a new number at each call, for all callers of the process. */
function openRecognizer(calls: CallerCalls, isMultilingual: boolean, nameJudgement: () => number): SureRecognizer {
  return {
    transcribe: (request, signal) => calls.call<Heard>("transcribe", request, signal),
    judge: async (request, proposals, signal) => {
      const judgement = nameJudgement();
      const opinion = calls.call<SecondOpinion>("judge", { ...request, judgement }, signal);
      const proposing = proposals.then(async (proposed) => calls.call("propose", { judgement, proposed }, signal));
      // A judgement that has ended needs none. The request's own error is reported by `opinion`.
      proposing.catch(() => undefined);
      return opinion;
    },
    ...(isMultilingual && {
      identifyLanguage: (samples, signal) => calls.call<LanguageScores>("identifyLanguage", { samples }, signal),
    }),
    close: () => calls.close(),
  };
}

function initFor(options: WhisperCppOptions): WhisperCppInit {
  const shape = shapeOf(options.path);
  const threads = options.threads || 1;
  return {
    modelPath: options.path,
    lanes: Math.min(MAX_LANES, options.lanes ?? Math.max(1, Math.floor(availableParallelism() / threads))),
    threads,
    contexts: contextsFor(options, shape.wants30Seconds),
    secondOpinionContexts: contextsFor(
      { ...options, contextRule: options.secondOpinionRule ?? options.contextRule },
      shape.wants30Seconds,
    ),
    alignment: shape.published ?? "all",
    alignmentDelaySeconds: shape.published === "base" ? BASE_DELAY_SECONDS : 0,
    gpu: options.gpu ?? "off",
    beams: options.beams ?? 0,
  };
}

const FULL_CONTEXT = 1_500;
/** Measured by others on published models: docs/decisions/0064-audio-context.md. */
const PUBLISHED_RULE: ContextRule = { floorSeconds: 10, marginSeconds: 2 };

function contextsFor({ audioContext = 0, contextRule }: WhisperCppOptions, wants30Seconds: boolean): Contexts {
  if (audioContext > 0) return { marginSeconds: 0, sizes: [audioContext] };
  const rule = contextRule ?? (wants30Seconds ? PUBLISHED_RULE : "full");
  if (rule === "full") return { marginSeconds: 0, sizes: [] };
  return { sizes: contextsFrom(rule.floorSeconds, FULL_CONTEXT), marginSeconds: rule.marginSeconds };
}

/** Encoder positions of a clip of `seconds`. */
export function fittedContext(options: WhisperCppOptions, seconds: number): number {
  const { sizes, marginSeconds } = contextsFor(options, shapeOf(options.path).wants30Seconds);
  return sizes.length === 0 ? FULL_CONTEXT : contextOf(seconds * MODEL_HZ, sizes, marginSeconds);
}

/** Languages of a Whisper model, by its vocabulary. Undefined for other files. */
export const whisperLanguages = (path: string): readonly string[] | undefined => shapeOf(path).languages;

/** The worker reports unreadable files. Opening a pipe here would block the server until its other end opens. */
function shapeOf(path: string): ModelShape {
  try {
    if (statSync(path).isFile()) return checkModelFile(path);
  } catch {
    // See above.
  }
  return { wants30Seconds: false, published: undefined, languages: undefined };
}
