import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { beforeEach, describe, expect, it } from "vitest";
import { readStructuredFile } from "../../src/shared/files/read-structured-file.ts";
import { openVoiceStore } from "../../src/config/voice-store.ts";
import { SMALL_FILE_BYTES } from "../../src/shared/files/read-small-file.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let folder: string;
let lines: string[];
const log = pino({ level: "warn" }, { write: (line: string) => void lines.push(line) });
const at = (name: string) => join(folder, name);
const good = (id: string) => `config_id: ${id}\nsystem_prompt: Be brief.\n`;

beforeEach(() => {
  folder = temporaryFolder();
  lines = [];
  writeFileSync(at("good.yaml"), good("good"));
});

const UNREADABLE: Readonly<Record<string, () => void>> = {
  "a link loop": () => symlinkSync("bad.yaml", at("bad.yaml")),
  "a link that leads nowhere": () => symlinkSync("none", at("bad.yaml")),
  "a link with a name that is too long": () => symlinkSync("x".repeat(300), at("bad.yaml")),
  "a link below a file": () => symlinkSync("good.yaml/x", at("bad.yaml")),
  "a link to a device": () => symlinkSync("/dev/zero", at("bad.yaml")),
  "a folder": () => mkdirSync(at("bad.yaml")),
  "a FIFO": () => expect(spawnSync("mkfifo", [at("bad.yaml")]).status).toBe(0),
  "a file that is too large": () => writeFileSync(at("bad.yaml"), "#".repeat(SMALL_FILE_BYTES + 1)),
};

describe.each(Object.entries(UNREADABLE))("%s", (_, make) => {
  it("logs one line at the start, and other files load and reload", async () => {
    make();
    const store = await openVoiceStore(folder, log);
    expect((await store.get("good"))?.config_id).toBe("good");
    writeFileSync(at("late.yaml"), good("late"));
    expect((await store.get("late"))?.config_id).toBe("late");
    expect(lines).toEqual([expect.stringMatching(/bad\.yaml: cannot be read: [^"\n]+\."/u)]);
    await store.reload();
    expect(lines).toHaveLength(2);
    rmSync(at("bad.yaml"), { recursive: true });
    writeFileSync(at("bad.yaml"), good("bad"));
    expect((await store.get("bad"))?.config_id).toBe("bad");
  });

  it("is an error of one line as the server's configuration", () => {
    make();
    expect(() => readStructuredFile(at("bad.yaml"))).toThrow(
      expect.objectContaining({
        code: "CONFIG_UNREADABLE",
        message: expect.stringMatching(/bad\.yaml: cannot be read: [^\n]+\.$/u),
      }),
    );
  });
});

/** Each list holds the previous list nine times. The comment makes the file large. */
const aliases = (depth: number) =>
  Array.from({ length: depth }, (_, index) => `k${String(index)}: &k${String(index)} [${Array(9).fill(index === 0 ? 1 : `*k${String(index - 1)}`).join()}]`)
    .concat("#".repeat(10_000))
    .join("\n"); // prettier-ignore
const fill = (text: string, bytes = 32_768) => text.repeat(bytes / text.length);
const INVALID: Readonly<Record<string, string>> = {
  "deep brackets": fill("["),
  "aliases that multiply": aliases(12),
  "many keys": Array.from({ length: 4_000 }, (_, index) => `k${String(index)}: 1\n`).join(""),
  "many directives": fill("%\n"),
  "no text": fill("\u0000\u0001\u0002\n"),
  // The parser is stopped after 5 s.
  "many tags": fill("!!a ", SMALL_FILE_BYTES),
};

it.each(Object.entries(INVALID))("%s: logs one line without blocking the event loop", async (_, text) => {
  const store = await openVoiceStore(folder, log);
  writeFileSync(at("bad.yaml"), text);
  let turns = 0;
  const turning = setInterval(() => (turns += 1), 1);
  await store.reload();
  clearInterval(turning);
  // Reading yields at least once for the folder and once for each file.
  expect(turns).toBeGreaterThan(2);
  expect(lines).toEqual([expect.stringMatching(/bad\.yaml: /u)]);
  expect(lines[0]?.length).toBeLessThan(2_000);
  expect((await store.get("good"))?.config_id).toBe("good");
});

it("reads 500 files and logs how many were skipped", async () => {
  for (let number = 0; number < 510; number += 1) writeFileSync(at(`v${String(number)}.yaml`), good(`v${String(number)}`)); // prettier-ignore
  const store = await openVoiceStore(folder, log);
  expect(store.list()).toHaveLength(501);
  expect(lines).toEqual([expect.stringMatching(/holds more than 500 files; 11 are not read\./u)]);
});

it("an unknown key is refused beside the known ones, or the one that was probably meant", async () => {
  const fault = async (keys: string) => {
    const other = temporaryFolder();
    writeFileSync(join(other, "desk.yaml"), `{ config_id: desk, system_prompt: You are Oak., ${keys} }`);
    return await openVoiceStore(other, log).then(
      () => "",
      (error: unknown) => String(error),
    );
  };
  expect(await fault("greting: Hello.")).toContain(
    'Unrecognized key: "greting" (did you mean greeting? known: config_id, ',
  );
  expect(await fault("colour: red")).toMatch(/Unrecognized key: "colour" \(known: config_id, .*greeting/u);
  expect(await fault("turn_detection: { silence_treshold: 1 }")).toContain("did you mean silence_threshold?");
});
