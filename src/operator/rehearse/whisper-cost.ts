interface WhisperShape {
  readonly width: number;
  readonly audioLayers: number;
  readonly textLayers: number;
}

/** Sizes of the published models: https://github.com/openai/whisper/blob/main/model-card.md */
const SHAPES: Readonly<Record<string, WhisperShape>> = {
  tiny: { width: 384, audioLayers: 4, textLayers: 4 },
  base: { width: 512, audioLayers: 6, textLayers: 6 },
  small: { width: 768, audioLayers: 12, textLayers: 12 },
  medium: { width: 1_024, audioLayers: 24, textLayers: 24 },
  "large-v3": { width: 1_280, audioLayers: 32, textLayers: 32 },
  "large-v3-turbo": { width: 1_280, audioLayers: 32, textLayers: 4 },
};

const VOCABULARY = 51_865;
const MELS = 80;
/** The tokens before the words, and those of 3 s of speech. */
const TOKENS = 12;

/** The size in a model's id or file name. */
const SIZE = /(?:^|-)(tiny|base|small|medium|large-v3(?:-turbo)?)(?:\.en)?(?:-|$)/u;

/**
 * Floating-point operations of one greedy decode: the encoder on `positions`, and the decoder for each token. The alignment of words
 * is not counted. Undefined for a model that is no Whisper.
 */
export function whisperOperations(id: string, positions: number): number | undefined {
  const shape = SHAPES[SIZE.exec(id)?.[1] ?? ""];
  if (shape === undefined) return undefined;
  const { width, audioLayers, textLayers } = shape;
  const convolutions = 2 * 3 * (2 * positions * MELS * width + positions * width ** 2);
  const encoderLayer = 24 * positions * width ** 2 + 4 * positions ** 2 * width;
  const crossAttention = textLayers * 4 * positions * width ** 2;
  const step = textLayers * (28 * width ** 2 + 4 * positions * width) + 2 * width * VOCABULARY;
  return convolutions + audioLayers * encoderLayer + crossAttention + TOKENS * step;
}
