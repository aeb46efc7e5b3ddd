import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import sherpa from "sherpa-onnx-node";
import type { z } from "zod";
import { serveWorker } from "../engine/worker.ts";
import type { SynthesizeRequest } from "./contract.ts";
import { JobSlots } from "./job-slots.ts";
import { findVoiceFiles, speakerNumber } from "./model-files.ts";
import { lexiconWords, pronounceable } from "./pronounce.ts";
import type { sherpaInfo, SherpaOptions } from "./sherpa-engine.ts";

const maxWaiting = 64;
const shortClause = "one two three four.";
/** As many words as the clause splitter lets through at once. */
const longestClause = `${"one two three four five six seven eight ".repeat(5)}.`;
/** Before a slow voice is ready, the longest clauses are left out: a restart must not take much longer for them. */
const maxWarmUpMs = 3_000;

serveWorker(async ({ modelDir, threads }: SherpaOptions) => {
  const { model, lexicon, speakers } = await findVoiceFiles(modelDir);
  const tts = await sherpa.OfflineTts.createAsync({
    model: { ...model, numThreads: threads, provider: "cpu", debug: false },
    // One sentence a step, so that an abort ends the work after the sentence at hand.
    maxNumSentences: 1,
  });
  const slots = new JobSlots(Math.max(1, Math.floor(availableParallelism() / threads)), maxWaiting);
  const info: z.infer<typeof sherpaInfo> = { sampleRateHz: tts.sampleRate, speakers: tts.numSpeakers };

  const words = lexicon === "" ? undefined : lexiconWords(await readFile(lexicon, "utf8"));

  const synthesize = async ({ text, voice, speed }: SynthesizeRequest, signal: AbortSignal): Promise<Float32Array> => {
    const sayable = words === undefined ? text : pronounceable(text, words);
    // The library takes text without a word for an error.
    if (!/[\p{L}\p{Nd}]/u.test(sayable)) return new Float32Array(0);
    const { samples } = await tts.generateAsync({
      text: sayable,
      generationConfig: {
        sid: speakerNumber(voice, speakers, tts.numSpeakers),
        speed: Math.min(2, Math.max(0.5, speed)),
        // Left out, the library cuts every pause of 0.2 s or more to a fifth.
        silenceScale: 1,
      },
      enableExternalBuffer: false,
      onProgress: () => !signal.aborted,
    });
    signal.throwIfAborted();
    return samples;
  };
  const say = (request: SynthesizeRequest, signal: AbortSignal, alive?: () => void): Promise<Float32Array> =>
    slots.run(() => synthesize(request, signal), signal, alive);
  await warmUp((text) => say({ text, voice: "", speed: 1 }, new AbortController().signal), slots.parallel);
  return {
    info,
    calls: { synthesize: say },
  };
});

/**
 * Takes the memory that the longest clauses need, as many at once as may be, before the first caller comes: taken when
 * such clauses happen to meet, hours into the calls, it looks like a leak.
 */
async function warmUp(say: (text: string) => Promise<unknown>, parallel: number): Promise<void> {
  const startedMs = performance.now();
  // A voice of another language may refuse these words.
  await Promise.allSettled([say(shortClause)]);
  const longestMs = ((performance.now() - startedMs) * longestClause.length) / shortClause.length;
  if (longestMs > maxWarmUpMs) return;
  await Promise.allSettled(Array.from({ length: parallel }, () => say(longestClause)));
}
