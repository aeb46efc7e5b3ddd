import { existsSync, readFileSync } from "node:fs";
import { z } from "zod";

/** The files beside a Whisper model that choose between texts by the sounds of the clip. */
export interface SoundModel {
  /** Sounds of the pronunciations in `wordsFile`, as the network numbers them from 1 on. */
  readonly sounds: readonly string[];
  /** Share of the sounds in a text's score. The rest is the decoder's. */
  readonly soundsShare: number;
  /** Weight of the word trigrams beside them. */
  readonly wordsShare: number;
  /** Path of the word trigrams. */
  readonly wordsFile: string;
  /** Path of the sound network. */
  readonly networkFile: string;
}

const schema = z.strictObject({
  sounds: z.array(z.string().min(1)).min(1),
  soundsShare: z.number().min(0).max(1),
  wordsShare: z.number().min(0).max(1),
});

/**
 * The files beside a model file `<name>.bin`: `<name>.sounds.json`, the sound network `<name>.sounds.onnx`, and the word trigrams
 * `<name>.words`. Undefined without the first file.
 * @throws Error for a damaged file.
 */
export function readSoundModel(modelPath: string): SoundModel | undefined {
  const beside = (ending: string) => modelPath.replace(/\.bin$/u, ending);
  const path = beside(".sounds.json");
  if (path === modelPath || !existsSync(path)) return undefined;
  try {
    const parts = schema.parse(JSON.parse(readFileSync(path, "utf8")));
    return { ...parts, wordsFile: beside(".words"), networkFile: beside(".sounds.onnx") };
  } catch (error) {
    throw new Error(`${path} is damaged. Install the model again.`, { cause: error });
  }
}
