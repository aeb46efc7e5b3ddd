import { serveWorker } from "../../child-processes/worker.ts";
import { loadEmotionClassifier } from "./onnx-classifier.ts";

export interface EmotionWorkerOptions {
  readonly modelPath: string;
}

serveWorker<EmotionWorkerOptions>(async ({ modelPath }) => {
  const classifier = await loadEmotionClassifier(modelPath);
  return {
    requests: { classify: (samples: Float32Array, signal) => classifier.classify(samples, signal) },
    close: () => classifier.close(),
  };
});
