import { CALL_HZ } from "../../audio/format.ts";
import { BLOCK_HEAD_BYTES, REPLY_SIDE } from "../call-audio.ts";
import type { SealedReader } from "../store/sealed-file.ts";

const HEADER_BYTES = 44;
const CHANNELS = 2;
const FRAME_BYTES = 2 * CHANNELS;
/** A WAV file of a second at a time. */
const STEP = CALL_HZ;

interface Place {
  readonly isReply: boolean;
  readonly from: number;
  readonly to: number;
  readonly at: number;
  readonly index: number;
}

/** The audio of a record as a WAV file: the caller on the left, the reply on the right. */
export class RecordWav {
  readonly #reader: SealedReader;
  readonly #places: readonly Place[];
  readonly #samples: number;

  private constructor(reader: SealedReader, places: readonly Place[]) {
    this.#reader = reader;
    this.#places = places;
    this.#samples = Math.max(0, ...places.map(({ to }) => to));
  }

  /** Reads where each block is. */
  static async open(reader: SealedReader): Promise<RecordWav> {
    const places: Place[] = [];
    for await (const { content, at, index } of reader.blocks()) {
      const from = content.readUInt32BE(1);
      const to = from + (content.length - BLOCK_HEAD_BYTES) / 2;
      places.push({ isReply: content.readUInt8(0) === REPLY_SIDE, from, to, at, index });
    }
    return new RecordWav(reader, places);
  }

  /** Length of the file. */
  get bytes(): number {
    return HEADER_BYTES + this.#samples * FRAME_BYTES;
  }

  /** The file in pieces of a second. Audio that was not kept is silence. */
  async *pieces(): AsyncGenerator<Buffer> {
    yield header(this.#samples);
    for (let from = 0; from < this.#samples; from += STEP) {
      const to = Math.min(this.#samples, from + STEP);
      const piece = Buffer.alloc((to - from) * FRAME_BYTES);
      for (const place of this.#places) {
        if (place.to <= from || place.from >= to) continue;
        const block = await this.#reader.block(place.at, place.index);
        if (block === undefined) continue;
        const offset = place.isReply ? 2 : 0;
        for (let at = Math.max(from, place.from); at < Math.min(to, place.to); at += 1)
          block.content.copy(
            piece,
            (at - from) * FRAME_BYTES + offset,
            BLOCK_HEAD_BYTES + 2 * (at - place.from),
            BLOCK_HEAD_BYTES + 2 * (at - place.from) + 2,
          );
      }
      yield piece;
    }
  }
}

function header(samples: number): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES);
  bytes.write("RIFF", 0);
  bytes.writeUInt32LE(HEADER_BYTES - 8 + samples * FRAME_BYTES, 4);
  bytes.write("WAVEfmt ", 8);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(CHANNELS, 22);
  bytes.writeUInt32LE(CALL_HZ, 24);
  bytes.writeUInt32LE(CALL_HZ * FRAME_BYTES, 28);
  bytes.writeUInt16LE(FRAME_BYTES, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.write("data", 36);
  bytes.writeUInt32LE(samples * FRAME_BYTES, 40);
  return bytes;
}
