import { existsSync, readFileSync } from "node:fs";
import { z } from "zod";

/** A CTC head of a Whisper model: a linear layer over the encoder's output. Symbol 0 is "no letter". */
export interface LetterHead {
  /** Symbols 1 and up, one ASCII character each. */
  readonly letters: string;
  /** Symbols x width of the encoder, row by row. */
  readonly weights: Float32Array;
  /** One a symbol. */
  readonly biases: Float32Array;
  /** Share of the letters in the score of a beam's text, 0 to 1. The rest is the decoder's. */
  readonly share: number;
}

const schema = z.strictObject({
  letters: z.string().regex(/^[ -~]+$/u),
  share: z.number().min(0).max(1),
  biases: z.array(z.number()),
  weights: z.array(z.array(z.number())),
});

/**
 * The letter head that lies beside a model file: `<name>.letters.json` for `<name>.bin`. Undefined without this file.
 * @throws Error for a damaged file.
 */
export function readLetterHead(modelPath: string): LetterHead | undefined {
  const path = modelPath.replace(/\.bin$/u, ".letters.json");
  if (path === modelPath || !existsSync(path)) return undefined;
  const { letters, share, biases, weights } = parse(path);
  const symbols = letters.length + 1;
  const width = weights[0]?.length ?? 0;
  if (
    width === 0 ||
    biases.length !== symbols ||
    weights.length !== symbols ||
    weights.some((row) => row.length !== width)
  )
    throw new Error(`${path} does not have one bias and one row of equal length for each of its ${symbols} symbols`);
  return { letters, share, biases: Float32Array.from(biases), weights: Float32Array.from(weights.flat()) };
}

function parse(path: string): z.infer<typeof schema> {
  try {
    return schema.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch (error) {
    throw new Error(`${path} is damaged. Install the model again.`, { cause: error });
  }
}
