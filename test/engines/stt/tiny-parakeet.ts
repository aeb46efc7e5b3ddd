import { parakeetFile, type ParakeetPacking, type ParakeetShape } from "../../support/models/parakeet-file.ts";
import { writePieces } from "../../support/models/write-pieces.ts";

export const TINY_PARAKEET: ParakeetShape = {
  vocabulary: 32,
  width: 64,
  heads: 2,
  layers: 2,
  mels: 16,
  channels: 16,
  predictionWidth: 64,
  predictionLayers: 2,
};

/** Writes a model whose transcript is the rehearsal's sentence. */
export async function writeParakeet(
  path: string,
  shape: ParakeetShape = TINY_PARAKEET,
  packing: ParakeetPacking = "q8_0",
): Promise<string> {
  await writePieces(path, parakeetFile(shape, packing), new AbortController().signal, () => undefined);
  return path;
}
