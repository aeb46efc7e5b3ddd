import { open, type FileHandle } from "node:fs/promises";
import { seededRandom } from "../../../src/simulated-callers/random.ts";
import { PACKINGS, type PackingName } from "./packings.ts";

/** The weights of one tensor: noise or a constant, and rows of its own. */
export interface Weights {
  readonly packing: PackingName;
  readonly rowLength: number;
  readonly rows: number;
  /** Standard deviation of the noise. */
  readonly noise: number;
  /** Instead of noise. */
  readonly constant?: number;
  /** Rows that hold something else. */
  readonly rowAt?: (row: number) => Float32Array | undefined;
}

/** A part of a model file. */
export type Piece = Buffer | Weights;

/** Noise repeats after this many blocks. A prime: no two rows of a matrix are the same for long. */
const NOISE_BLOCKS = 8_191;
const WRITE_BYTES = 2 ** 22;

export const bytesOf = (pieces: readonly Piece[]): number => pieces.reduce((sum, piece) => sum + pieceBytes(piece), 0);

export function pieceBytes(piece: Piece): number {
  if (Buffer.isBuffer(piece)) return piece.length;
  const { weights, bytes } = PACKINGS[piece.packing];
  return ((piece.rowLength * piece.rows) / weights) * bytes;
}

/** Writes a new file with bounded memory. The same pieces give the same bytes. `onProgress`: bytes so far. */
export async function writePieces(
  path: string,
  pieces: readonly Piece[],
  signal: AbortSignal,
  onProgress: (bytes: number) => void,
): Promise<void> {
  const file = await open(path, "w");
  try {
    const patterns = new Patterns();
    let at = 0;
    for (const piece of pieces) {
      const bytes = pieceBytes(piece);
      if (Buffer.isBuffer(piece)) await file.write(piece, 0, bytes, at);
      else await writeWeights(file, at, piece, patterns.of(piece), signal, onProgress);
      at += bytes;
      onProgress(at);
    }
  } finally {
    await file.close();
  }
}

async function writeWeights(
  file: FileHandle,
  start: number,
  piece: Weights,
  pattern: Buffer,
  signal: AbortSignal,
  onProgress: (bytes: number) => void,
): Promise<void> {
  const total = pieceBytes(piece);
  for (let done = 0; done < total;) {
    signal.throwIfAborted();
    const { bytesWritten } = await file.write(pattern, 0, Math.min(pattern.length, total - done), start + done);
    done += bytesWritten;
    onProgress(start + done);
  }
  if (piece.rowAt === undefined) return;
  const rowBytes = total / piece.rows;
  for (let row = 0; row < piece.rows; row += 1) {
    const values = piece.rowAt(row);
    if (values === undefined) continue;
    signal.throwIfAborted();
    await file.write(PACKINGS[piece.packing].encode(values), 0, rowBytes, start + row * rowBytes);
  }
}

/** Values that fill tensors of a kind. A whole number of its repeats is written at once. */
class Patterns {
  readonly #known = new Map<string, Buffer>();

  of({ packing, noise, constant }: Weights): Buffer {
    const key = `${packing} ${String(constant ?? `noise ${String(noise)}`)}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const random = seededRandom(this.#known.size + 1);
    const length = NOISE_BLOCKS * PACKINGS[packing].weights;
    // Uniform noise has a standard deviation of its limit divided by the root of 3.
    const values = Float32Array.from({ length }, () => constant ?? noise * Math.sqrt(3) * (2 * random() - 1));
    const once = PACKINGS[packing].encode(values);
    const made = Buffer.concat(Array.from({ length: Math.ceil(WRITE_BYTES / once.length) }, () => once));
    this.#known.set(key, made);
    return made;
  }
}
