declare module "sherpa-onnx-node" {
  interface VoiceText {
    readonly tokens: string;
    readonly lexicon: string;
    readonly dataDir: string;
  }

  /** One of the families; "" stands for a file that the voice does not have. */
  export type VoiceModel =
    | { readonly vits: VoiceText & { readonly model: string } }
    | { readonly kokoro: VoiceText & { readonly model: string; readonly voices: string } }
    | { readonly matcha: VoiceText & { readonly acousticModel: string; readonly vocoder: string } };

  interface OfflineTtsConfig {
    readonly model: VoiceModel & {
      readonly numThreads: number;
      readonly provider: "cpu" | "cuda";
      readonly debug: boolean;
    };
    readonly maxNumSentences: number;
  }

  interface GenerateRequest {
    readonly text: string;
    readonly generationConfig: { readonly sid: number; readonly speed: number; readonly silenceScale: number };
    /** False copies the samples into memory of JavaScript's own. */
    readonly enableExternalBuffer: boolean;
    /** After each sentence; `false` stops before the next. */
    readonly onProgress?: () => boolean;
  }

  class OfflineTts {
    static createAsync(config: OfflineTtsConfig): Promise<OfflineTts>;
    readonly sampleRate: number;
    readonly numSpeakers: number;
    generateAsync(request: GenerateRequest): Promise<{ readonly samples: Float32Array; readonly sampleRate: number }>;
  }

  const sherpa: { readonly OfflineTts: typeof OfflineTts };
  /** A CommonJS module whose names Node cannot see: only the default import works. */
  export default sherpa;
}
