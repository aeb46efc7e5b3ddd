import { existsSync, readFileSync } from "node:fs";
import { z } from "zod";

/** A linear layer over the encoder's output (CTC). Symbol 0 is "none". */
export interface CtcHead {
  /** Symbols 1 and up. */
  readonly symbols: readonly string[];
  /** Symbols x width of the encoder, row by row. */
  readonly weights: Float32Array;
  /** One a symbol. */
  readonly biases: Float32Array;
}

/** The files beside a Whisper model that choose between texts. */
export interface CtcHeads {
  /** One letter each. */
  readonly letters: CtcHead;
  /** The sounds of the pronunciations in `wordsFile`, as `soundsFile` numbers them from 1 on. */
  readonly sounds: readonly string[];
  /** Shares of the letters and sounds in a text's score. The rest is the decoder's. */
  readonly lettersShare: number;
  readonly soundsShare: number;
  /** Weight of the word trigrams beside them. */
  readonly wordsShare: number;
  /** Path of the word trigrams. */
  readonly wordsFile: string;
  /** Path of the sound network. */
  readonly soundsFile: string;
}

const headSchema = z
  .strictObject({
    symbols: z.array(z.string().min(1)).min(1),
    biases: z.array(z.number()),
    weights: z.array(z.array(z.number()).min(1)),
  })
  .refine(
    ({ symbols, biases, weights }) =>
      biases.length === symbols.length + 1 &&
      weights.length === symbols.length + 1 &&
      weights.every((row) => row.length === weights[0]?.length),
    "one bias and one row of equal length are needed for each symbol and for none",
  )
  .transform(({ symbols, biases, weights }) => ({
    symbols,
    biases: Float32Array.from(biases),
    weights: Float32Array.from(weights.flat()),
  }));

const schema = z
  .strictObject({
    letters: headSchema,
    sounds: z.array(z.string().min(1)).min(1),
    lettersShare: z.number().min(0).max(1),
    soundsShare: z.number().min(0).max(1),
    wordsShare: z.number().min(0).max(1),
  })
  .refine(
    ({ lettersShare, soundsShare }) => lettersShare + soundsShare <= 1,
    "the two shares are more than 1 together",
  );

/**
 * The files beside a model file `<name>.bin`: `<name>.heads.json`, the word trigrams `<name>.words`, and the sound network
 * `<name>.sounds.onnx`.
 * Undefined without the first file.
 * @throws Error for a damaged file.
 */
export function readCtcHeads(modelPath: string): CtcHeads | undefined {
  const beside = (ending: string) => modelPath.replace(/\.bin$/u, ending);
  const path = beside(".heads.json");
  if (path === modelPath || !existsSync(path)) return undefined;
  try {
    const parts = schema.parse(JSON.parse(readFileSync(path, "utf8")));
    return { ...parts, wordsFile: beside(".words"), soundsFile: beside(".sounds.onnx") };
  } catch (error) {
    throw new Error(`${path} is damaged. Install the model again.`, { cause: error });
  }
}
