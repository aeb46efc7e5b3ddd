import { closeSync, linkSync, mkdirSync, openSync, readdirSync, readSync, statSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { partName, RECORD_PARTS } from "../../src/call-record/store/record-layout.ts";
import { readRecordKey } from "../../src/call-record/store/record-key.ts";
import { SealedReader } from "../../src/call-record/store/sealed-file.ts";

/** Bytes that must not be on a disk, by a name for the report. */
export type Needles = ReadonlyMap<string, readonly Buffer[]>;

const PIECE = 4 * 1024 * 1024;

/** A text as programs may write it: UTF-8, UTF-16, hexadecimal, and base64 at each of its three positions. */
export function formsOf(text: string): Buffer[] {
  const bytes = Buffer.from(text);
  const inBase64 = [0, 1, 2].map((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes]).toString("base64");
    // The characters at the ends depend on the bytes beside the text.
    const from = Math.ceil((shift * 8) / 6);
    const to = Math.floor(((shift + bytes.length) * 8) / 6);
    return Buffer.from(encoded.slice(from, to));
  });
  const hex = bytes.toString("hex");
  return [bytes, Buffer.from(text, "utf16le"), Buffer.from(hex), Buffer.from(hex.toUpperCase()), ...inBase64];
}

/** Every file below a folder, links not followed. */
export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** The needles that the bytes and the names of files hold. */
export function inBytes(folder: string, needles: Needles): string[] {
  const overlap = Math.max(...[...needles.values()].flat().map(({ length }) => length));
  return filesBelow(folder).flatMap((path) => {
    const found = new Set(foundIn(Buffer.from(relative(folder, path)), needles));
    const file = openSync(path, "r");
    const buffer = Buffer.alloc(PIECE + overlap);
    let kept = 0;
    for (;;) {
      const read = readSync(file, buffer, kept, PIECE, null);
      if (read === 0) break;
      const filled = buffer.subarray(0, kept + read);
      for (const name of foundIn(filled, needles)) found.add(name);
      kept = Math.min(overlap, filled.length);
      filled.copyWithin(0, filled.length - kept);
    }
    closeSync(file);
    return [...found].map((name) => `${name} in ${relative(folder, path)}`);
  });
}

const foundIn = (bytes: Buffer, needles: Needles): string[] =>
  [...needles].flatMap(([name, forms]) => (forms.some((form) => bytes.includes(form)) ? [name] : []));

/** The number of encrypted files in which the owner of the key finds each needle. @param names The name of each file for its key. */
export async function inDecrypted(
  names: ReadonlyMap<string, string>,
  keyFile: string,
  needles: Needles,
): Promise<Map<string, number>> {
  const key = readRecordKey(keyFile);
  const counts = new Map(Array.from(needles.keys(), (name) => [name, 0]));
  for (const [path, name] of names) {
    await using reader = await SealedReader.open(path, key, name);
    const blocks: Buffer[] = [];
    for await (const { content } of reader?.blocks() ?? []) blocks.push(content);
    for (const found of foundIn(Buffer.concat(blocks), needles)) counts.set(found, (counts.get(found) ?? 0) + 1);
  }
  return counts;
}

/** The encrypted files of a folder of records, with the names that their keys are derived for. */
export function sealedFiles(folder: string): Map<string, string> {
  const named = filesBelow(folder).flatMap((path): [string, string][] => {
    const [where, ...rest] = relative(folder, path).split("/");
    if (where === "outbox") return [[path, `outbox/${basename(path, ".oak")}`]];
    const part = RECORD_PARTS.find((each) => basename(path) === `${each}.oak`);
    return where === "calls" && part !== undefined ? [[path, partName(rest[1] ?? "", part)]] : [];
  });
  return new Map(named);
}

/** Second names for the same blocks of the disk: they stay when the file is removed. Returns their names for decryption. */
export function keepBlocks(files: ReadonlyMap<string, string>, folder: string): Map<string, string> {
  mkdirSync(folder, { recursive: true });
  const kept = new Map<string, string>();
  for (const [path, name] of files) {
    const link = join(folder, String(statSync(path).ino));
    linkSync(path, link);
    kept.set(link, name);
  }
  return kept;
}
