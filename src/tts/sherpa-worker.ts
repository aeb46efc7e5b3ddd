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
    if (!/\p{L}/u.test(sayable)) return new Float32Array(0);
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
  return {
    info,
    calls: { synthesize: (request: SynthesizeRequest, signal) => slots.run(() => synthesize(request, signal), signal) },
  };
});
