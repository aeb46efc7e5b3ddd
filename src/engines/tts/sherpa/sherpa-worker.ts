import { availableParallelism } from "node:os";
import sherpa from "sherpa-onnx-node";
import type { z } from "zod";
import { Slots } from "../../../child-processes/slots.ts";
import { serveWorker } from "../../../child-processes/worker.ts";
import { OakError } from "../../../shared/errors.ts";
import { oneLine } from "../../onnx/onnx-session.ts";
import type { SynthesizeRequest } from "../text-to-speech.ts";
import { findVoiceFiles, speakerNumber, type VoiceFiles } from "./model-files.ts";
import { asTokens, querySized } from "../lexicon-voice/phone-text.ts";
import { Pronouncer } from "../lexicon-voice/pronouncer.ts";
import type { sherpaInfo, SherpaOptions } from "./sherpa-engine.ts";
import { checkLexiconSounds, checkSpeech, checkVoiceFiles, isAudible, trialWords } from "./voice-check.ts";

const maxWaiting = 64;
const hasWord = /[\p{L}\p{Nd}]/u;
/** As many words as the clause splitter lets through at once. */
const longestClause = `${"one two three four five six seven eight ".repeat(5)}.`;
/** Before a slow voice is ready, the longest clauses are left out: a restart must not take much longer for them. */
const maxWarmUpMs = 3_000;

const tooManyTexts = () =>
  new OakError(`${String(maxWaiting)} texts wait to be spoken already; try again later.`, { code: "TTS_BUSY" });

serveWorker(async ({ modelDir, threads, jobs = Math.floor(availableParallelism() / threads) }: SherpaOptions) => {
  const files = await findVoiceFiles(modelDir);
  await checkVoiceFiles(files);
  const { model, pronunciation, speakers } = files;
  const tts = await sherpa.OfflineTts.createAsync({
    model: { ...model, numThreads: threads, provider: "cpu", debug: false },
    // One sentence a step, so that an abort ends the work after the current sentence.
    maxNumSentences: 1,
  });
  const parallel = Math.max(1, jobs);
  const slots = new Slots([...Array(parallel).keys()], maxWaiting, tooManyTexts);
  const info: z.infer<typeof sherpaInfo> = {
    sampleRateHz: tts.sampleRate,
    speakers: tts.numSpeakers,
    names: [...speakers.keys()],
  };

  const pronouncer = pronunciation === "" ? undefined : await openPronouncer(files);

  const synthesize = async (request: SynthesizeRequest, signal: AbortSignal): Promise<Float32Array> => {
    // The library takes text without a word for an error.
    if (!hasWord.test(request.text)) return new Float32Array(0);
    const parts: Float32Array[] = [];
    for (const text of pronouncer === undefined
      ? [request.text]
      : querySized(pronouncer.read(request.text)).map(asTokens)) {
      const { samples } = await tts.generateAsync({
        text,
        generationConfig: {
          sid: speakerNumber(request.voice, speakers, tts.numSpeakers),
          speed: Math.min(2, Math.max(0.5, request.speed)),
          // Left out, the library cuts every pause of 0.2 s or more to a fifth.
          silenceScale: 1,
        },
        enableExternalBuffer: false,
        onProgress: () => !signal.aborted,
      });
      signal.throwIfAborted();
      parts.push(samples);
    }
    const samples = joined(parts);
    if (!isAudible(samples)) throw saidNothing();
    return samples;
  };
  const say = (request: SynthesizeRequest, signal: AbortSignal, alive?: () => void): Promise<Float32Array> =>
    slots.run(() => synthesize(request, signal), signal, alive);
  const sayPlainly = (text: string) => say({ text, voice: "", speed: 1 }, new AbortController().signal);
  const trial = trialWords(pronouncer !== undefined);
  const startedMs = performance.now();
  await checkSpeech(sayPlainly, trial, tts.sampleRate);
  await warmUp(sayPlainly, parallel, (performance.now() - startedMs) / trial.join(" ").length);
  return {
    info,
    requests: { synthesize: say },
  };
});

/** Rejects with MODEL_BROKEN. */
async function openPronouncer(files: VoiceFiles): Promise<Pronouncer> {
  const pronouncer = await Pronouncer.open(files.pronunciation).catch((cause: unknown) => {
    throw new OakError(`its words cannot be read (${oneLine(cause)})`, { code: "MODEL_BROKEN", cause });
  });
  await checkLexiconSounds(files, pronouncer.lexicon);
  return pronouncer;
}

function joined(parts: readonly Float32Array[]): Float32Array {
  const [first] = parts;
  if (first !== undefined && parts.length === 1) return first;
  const samples = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    samples.set(part, at);
    at += part.length;
  }
  return samples;
}

/** The words themselves stay out of the message: they are part of a conversation. */
function saidNothing(): OakError {
  return new OakError("The voice made no sound for a text with words.", { code: "TTS_SAID_NOTHING" });
}

/**
 * Allocates the memory of the longest clauses before the first call, for as many as may run at once. Otherwise memory would grow
 * hours later, when such clauses meet, and look like a leak.
 */
async function warmUp(say: (text: string) => Promise<unknown>, parallel: number, msPerChar: number): Promise<void> {
  if (msPerChar * longestClause.length > maxWarmUpMs) return;
  // A voice of another language may refuse these words.
  await Promise.allSettled(Array.from({ length: parallel }, () => say(longestClause)));
}
