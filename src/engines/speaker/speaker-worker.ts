import { serveWorker } from "../../child-processes/worker.ts";
import { loadSpeakerEncoder } from "./onnx-speaker-encoder.ts";

export interface SpeakerWorkerOptions {
  readonly modelPath: string;
}

serveWorker<SpeakerWorkerOptions>(async ({ modelPath }) => {
  const encoder = await loadSpeakerEncoder(modelPath);
  return {
    requests: { embed: (samples: Float32Array, signal) => encoder.embed(samples, signal) },
    close: () => encoder.close(),
  };
});
