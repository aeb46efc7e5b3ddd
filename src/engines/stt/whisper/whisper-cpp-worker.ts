import { MODEL_HZ } from "../../../audio/format.ts";
import { serveWorker } from "../../../child-processes/worker.ts";
import { loadAddon, type NativeModel } from "./addon.ts";
import type { NativeLane, DecodedPiece } from "../decoded.ts";
import { usualBeams } from "./beams.ts";
import { contextOf, cutClip, POSITION_SAMPLES, type Piece } from "../audio/clip.ts";
import { readingsOf, textsOf } from "../ears/choose-text.ts";
import { phraseReadings } from "../ears/phrase-readings.ts";
import type { Proposals, SecondOpinion } from "../ears/ear.ts";
import type { TranscribeRequest } from "../speech-to-text.ts";
import { loadGpu, type GpuKind } from "./gpu.ts";
import { guarded } from "../text/guards.ts";
import { evidenceOf, toHeard } from "../text/heard.ts";
import { isDoubtful, tokenBudget, whisperHeardSilence } from "../text/doubt.ts";
import { Loudness } from "../audio/loudness.ts";
import { checkModelFile, modelUnusable } from "../files/model-header.ts";
import { serveParakeet } from "./parakeet.ts";
import { isParakeetFile } from "../files/parakeet-header.ts";
import { ServedLanes, type Call } from "../lanes/serve-lanes.ts";
import type { Contexts, WhisperCppInit } from "./whisper-cpp.ts";
import { WhisperEncoder } from "./whisper-encoder.ts";
import { whisperPrompt } from "../text/whisper-prompt.ts";
import { aligned, shifted, wordsFromTokens } from "../text/words.ts";

/** The language is heard in the first seconds. */
const LANGUAGE_SAMPLES = 10 * MODEL_HZ;

interface JudgeCall extends TranscribeRequest, Call {
  /** Its name for `propose`. */
  readonly judgement: number;
}

interface ProposeCall extends Pick<JudgeCall, "judgement"> {
  readonly proposed: Proposals;
}

serveWorker(async (init: WhisperCppInit) => {
  if (isParakeetFile(init.modelPath)) return serveParakeet(init);
  const { model, gpu } = load(init);
  const most = model.facts.audioContext;
  const fitting = ({ sizes }: Contexts) => (sizes.length > 0 ? sizes.filter((size) => size <= most) : [most]);
  const contexts = fitting(init.contexts);
  // It runs on this thread, one layer of one clip at a time, so it has the threads of all lanes.
  const encoder = gpu === undefined ? WhisperEncoder.open(init.modelPath, init.lanes * init.threads) : undefined;
  const encode = async (lane: NativeLane, samples: Float32Array, audioContext: number, stop: AbortSignal) =>
    encoder?.encode(await lane.logMel(samples, { audioContext, threads: init.threads }), stop);
  const lanes = Array.from({ length: init.lanes }, () => model.createLane());

  /** All words that fit the clip, also when they are probably none. Without `alignsWords` their times are estimates. */
  const hear = async (
    lane: NativeLane,
    piece: Piece,
    request: TranscribeRequest,
    stop: AbortSignal,
    alignsWords = true,
  ): Promise<DecodedPiece> => {
    const { samples, startSeconds, audioContext } = piece;
    const { language, phrases = [] } = request;
    const seconds = samples.length / MODEL_HZ;
    const decoded = await lane.transcribe(samples, {
      threads: init.threads,
      audioContext,
      beams: request.kind === "final" ? init.beams || usualBeams(language) : 1,
      maxTokens: tokenBudget(seconds, language),
      alignsWords,
      language,
      prompt: whisperPrompt(phrases),
      encoded: await encode(lane, samples, audioContext, stop),
    });
    const loudness = new Loudness(samples);
    const evidence = evidenceOf(decoded, loudness.voicedSeconds);
    const words = guarded(
      wordsFromTokens(aligned(decoded.tokens, init.alignmentDelaySeconds), seconds, loudness),
      loudness.voicedSeconds,
    );
    return { words: words.map((word) => shifted(word, startSeconds)), isDoubtful: isDoubtful(evidence), evidence };
  };
  const decode = async (
    lane: NativeLane,
    piece: Piece,
    request: TranscribeRequest,
    stop: AbortSignal,
  ): Promise<DecodedPiece> => {
    const heard = await hear(lane, piece, request, stop);
    return whisperHeardSilence(heard.evidence) ? { ...heard, words: [] } : heard;
  };

  const cut = (samples: Float32Array) => cutClip(samples, contexts, init.contexts.marginSeconds);
  const { secondOpinionContexts: judged } = init;
  const cutJudged = (samples: Float32Array) => cutClip(samples, fitting(judged), judged.marginSeconds);
  // The first decode touches the model's memory, and the longest clip all memory of a lane. Do it before the first call.
  const longest = Math.max(...contexts) * POSITION_SAMPLES;
  const served = await ServedLanes.open(lanes, { cut, decode }, longest);

  /** Judgements that take proposals. */
  const judging = new Map<number, (proposed: Proposals) => void>();

  /** Writes a text, then scores it, the proposed ones, and those between them. Whether it was speech is for both ears to say. */
  const judge = async (
    lane: NativeLane,
    request: JudgeCall,
    proposals: Promise<Proposals>,
    stop: AbortSignal,
  ): Promise<SecondOpinion> => {
    const [piece, ...others] = cutJudged(request.samples);
    // Texts of several pieces cannot be scored.
    if (piece === undefined || others.length > 0)
      return { ...(await served.decode(lane, request, stop)), phraseReadings: [], scored: [] };
    // A list of phrases as a prompt makes Whisper write lists. Here they are scored instead.
    const own = await hear(lane, piece, { ...request, phrases: [] }, stop, false);
    const heard = toHeard([own], request.samples.length / MODEL_HZ);
    const { fast, others: proposed } = await proposals;
    const withPhrase = phraseReadings(heard.text, request.phrases ?? []);
    const texts = [...new Set([...textsOf(readingsOf(heard.text, fast)), ...proposed, ...withPhrase])];
    const scores = await lane.score(texts, { language: request.language, threads: init.threads });
    return {
      ...heard,
      phraseReadings: withPhrase,
      scored: texts.map((text, index) => ({ text, score: scores[index] ?? [] })),
    };
  };
  const identifyLanguage = async (lane: NativeLane, samples: Float32Array, stop: AbortSignal) => {
    const clip = samples.subarray(0, Math.min(LANGUAGE_SAMPLES, longest));
    const audioContext = contextOf(clip.length, contexts, 0);
    const encoded = await encode(lane, clip, audioContext, stop);
    return lane.identifyLanguage(clip, { audioContext, threads: init.threads, encoded });
  };
  return {
    info: { ...model.facts, gpu: gpu ?? false },
    requests: {
      transcribe: served.transcribe,
      judge: async (request: JudgeCall, signal: AbortSignal, alive: () => void) => {
        const { judgement } = request;
        const proposals = new Promise<Proposals>((resolve, reject) => {
          judging.set(judgement, resolve);
          signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
        });
        proposals.catch(() => undefined);
        const onLane = async (lane: NativeLane, stop: AbortSignal) => judge(lane, request, proposals, stop);
        return served.run(request, request.kind, signal, alive, onLane).finally(() => judging.delete(judgement));
      },
      propose: async ({ judgement, proposed }: ProposeCall) => judging.get(judgement)?.(proposed),
      identifyLanguage: (call: Call, signal: AbortSignal, alive: () => void) =>
        served.run(call, "language", signal, alive, async (lane, stop) => identifyLanguage(lane, call.samples, stop)),
    },
  };
});

function load({ modelPath, alignment, gpu: choice }: WhisperCppInit): { model: NativeModel; gpu: GpuKind | undefined } {
  checkModelFile(modelPath);
  const addon = loadAddon();
  const gpu = loadGpu(addon, choice);
  const options = { alignment, alignmentLayers: 1, flashAttention: true, gpu: gpu !== undefined };
  try {
    return { model: addon.loadModel(modelPath, options), gpu };
  } catch (error) {
    throw modelUnusable(modelPath, error);
  }
}
