import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { open, type FileHandle } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import type { RecordKey } from "./record-key.ts";

/*
 * A file that only grows: a head of 40 bytes (magic, salt), then blocks: length (4 bytes), nonce (12), content, tag (16). Each file
 * has a key of its own, from the operator's key, the salt and the file's name. A block is bound to its place. Without the salt
 * nothing of the file can be read, also by the owner of the key: erasing begins with these bytes.
 */
const MAGIC = Buffer.from("OAKREC01");
const SALT_BYTES = 32;
export const HEAD_BYTES = MAGIC.length + SALT_BYTES;
const LENGTH_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = "aes-256-gcm";
export const MOST_BLOCK_BYTES = 4 * 1024 * 1024;
const READ_AHEAD_BYTES = 64 * 1024;
/** Work of a reader on the event loop before calls get their turn. */
const SLICE_MS = 2;

/** Seals the blocks of one new file, in order. */
export class Sealer {
  readonly head: Buffer;
  readonly #key: Buffer;
  #blocks = 0;

  constructor(key: RecordKey, name: string) {
    const salt = randomBytes(SALT_BYTES);
    this.head = Buffer.concat([MAGIC, salt]);
    this.#key = key.forFile(salt, name);
  }

  seal(content: Uint8Array): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, nonce).setAAD(placeOf(this.#blocks));
    this.#blocks += 1;
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32BE(content.length);
    return Buffer.concat([length, nonce, cipher.update(content), cipher.final(), cipher.getAuthTag()]);
  }
}

function placeOf(block: number): Buffer {
  const place = Buffer.alloc(8);
  place.writeBigUInt64BE(BigInt(block));
  return place;
}

export interface SealedBlock {
  readonly content: Buffer;
  /** Offset in the file. */
  readonly at: number;
  readonly index: number;
}

/** A sealed file that is read. */
export class SealedReader implements AsyncDisposable {
  readonly #file: FileHandle;
  readonly #key: Buffer;
  /** The piece that was read last, and its place in the file. */
  #read = Buffer.alloc(0);
  #readFrom = 0;

  private constructor(file: FileHandle, key: Buffer) {
    this.#file = file;
    this.#key = key;
  }

  /** Undefined when the file has no whole head: it was erased, or the machine stopped at its first write. */
  static async open(path: string, key: RecordKey, name: string): Promise<SealedReader | undefined> {
    const file = await open(path, "r");
    const head = Buffer.alloc(HEAD_BYTES);
    const { bytesRead } = await file.read(head, 0, HEAD_BYTES, 0);
    if (bytesRead === HEAD_BYTES && head.subarray(0, MAGIC.length).equals(MAGIC))
      return new SealedReader(file, key.forFile(head.subarray(MAGIC.length), name));
    await file.close();
    return undefined;
  }

  /** All whole blocks in order. A block that was cut, or that another key sealed, ends the file. Calls go on meanwhile. */
  async *blocks(): AsyncGenerator<SealedBlock> {
    let at = HEAD_BYTES;
    let sliceMs = performance.now();
    for (let index = 0; ; index += 1) {
      const block = await this.block(at, index, READ_AHEAD_BYTES);
      if (block === undefined) return;
      yield block;
      at += LENGTH_BYTES + NONCE_BYTES + block.content.length + TAG_BYTES;
      if (performance.now() - sliceMs < SLICE_MS) continue;
      await setImmediate();
      sliceMs = performance.now();
    }
  }

  /** @param ahead So many bytes are read at once, for the blocks that follow. */
  async block(at: number, index: number, ahead = 0): Promise<SealedBlock | undefined> {
    const size = (await this.#bytes(at, LENGTH_BYTES, ahead))?.readUInt32BE();
    if (size === undefined || size > MOST_BLOCK_BYTES) return undefined;
    const sealed = await this.#bytes(at + LENGTH_BYTES, NONCE_BYTES + size + TAG_BYTES, ahead);
    if (sealed === undefined) return undefined;
    try {
      const decipher = createDecipheriv(CIPHER, this.#key, sealed.subarray(0, NONCE_BYTES))
        .setAAD(placeOf(index))
        .setAuthTag(sealed.subarray(NONCE_BYTES + size));
      const content = Buffer.concat([
        decipher.update(sealed.subarray(NONCE_BYTES, NONCE_BYTES + size)),
        decipher.final(),
      ]);
      return { content, at, index };
    } catch {
      return undefined;
    }
  }

  /** Undefined when the file ends before. */
  async #bytes(at: number, length: number, ahead: number): Promise<Buffer | undefined> {
    const from = at - this.#readFrom;
    if (from >= 0 && from + length <= this.#read.length) return this.#read.subarray(from, from + length);
    const buffer = Buffer.alloc(Math.max(length, ahead));
    const { bytesRead } = await this.#file.read(buffer, 0, buffer.length, at);
    this.#read = buffer.subarray(0, bytesRead);
    this.#readFrom = at;
    return bytesRead < length ? undefined : buffer.subarray(0, length);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close();
  }
}
