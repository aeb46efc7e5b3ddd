import { mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { expect, onTestFinished, test, vi } from "vitest";
import { embeddedDefault, voiceConfigurationSchema } from "../../src/config/voice-configuration.ts";
import { ParsingStopped, VoiceFileReader } from "../../src/config/voice-file-reader.ts";
import { openVoiceStore } from "../../src/config/voice-store.ts";
import { packageRoot } from "../../src/shared/package-root.ts";
import { OakError } from "../../src/shared/errors.ts";
import { silentLog } from "../../src/shared/log.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

function newFolder() {
  const folder = temporaryFolder();
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  const lines: string[] = [];
  const log = pino({ level: "error" }, { write: (line: string) => void lines.push(line) });
  return { folder, write, lines, log };
}

const voice = (id: string, prompt: string) => `config_id: ${id}\nproject_id: bank\nsystem_prompt: ${prompt}\n`;

test("the embedded default", async () => {
  expect(embeddedDefault).toMatchObject({
    config_id: "default",
    project_id: "default",
    system_prompt: "You are Oak, a friendly voice assistant. Answer in one to three short spoken sentences.",
    language: "en",
  });
  const store = await openVoiceStore(join(temporaryFolder(), "none"), silentLog);
  expect(await store.get("default")).toBe(embeddedDefault);
  expect(await store.get("other")).toBeUndefined();
});

test("YAML and JSON files are found by config_id, other files are ignored and a file can replace the default", async () => {
  const { folder, write } = newFolder();
  write("a.yaml", voice("a", "One."));
  write(
    "b.json",
    JSON.stringify({ config_id: "b", system_prompt: "Two.", turn_detection: { silence_threshold: 0.9 } }),
  );
  write("c.yml", voice("default", "Three."));
  write("notes.txt", "x");
  mkdirSync(join(folder, "d.yaml"));
  const store = await openVoiceStore(folder, silentLog);
  expect(
    store
      .list()
      .map(({ config_id }) => config_id)
      .toSorted(),
  ).toEqual(["a", "b", "default"]);
  expect(await store.get("b")).toMatchObject({
    project_id: "default",
    voice: "default",
    turn_detection: { silenceThresholdMs: 900 },
  });
  expect((await store.get("default"))?.system_prompt).toBe("Three.");
});

test("a folder that appears while the server runs is noticed, and said in one line", async () => {
  const folder = join(temporaryFolder(), "voices");
  const lines: string[] = [];
  const store = await openVoiceStore(folder, pino({}, { write: (line: string) => void lines.push(line) }));
  expect(await store.get("a")).toBeUndefined();
  mkdirSync(folder);
  writeFileSync(join(folder, "a.yaml"), voice("a", "One."));
  expect((await store.get("a"))?.system_prompt).toBe("One.");
  await store.get("a");
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { msg: "voice configurations read again", changed: 1, voices: 2 },
  ]);
});

test("the next connection sees new, edited, replaced and deleted files", async () => {
  const { folder, write } = newFolder();
  write("a.yaml", voice("a", "One."));
  const store = await openVoiceStore(folder, silentLog);
  const before = await store.get("a");
  write("a.yaml", voice("a", "Another."));
  expect((await store.get("a"))?.system_prompt).toBe("Another.");
  expect(before?.system_prompt).toBe("One.");
  write("a.new", voice("a", "Replace."));
  renameSync(join(folder, "a.new"), join(folder, "a.yaml"));
  expect((await store.get("a"))?.system_prompt).toBe("Replace.");
  write("b.yaml", voice("b", "Two."));
  expect((await store.get("b"))?.system_prompt).toBe("Two.");
  rmSync(join(folder, "b.yaml"));
  expect(await store.get("b")).toBeUndefined();
});

test("an invalid file keeps its old version and logs one line until it is repaired", async () => {
  const { folder, write, lines, log } = newFolder();
  write("a.yaml", voice("a", "One."));
  write("b.yaml", voice("b", "Two."));
  const store = await openVoiceStore(folder, log);
  write("a.yaml", "config_id: a\nsystem_promt: typing error");
  expect((await store.get("a"))?.system_prompt).toBe("One.");
  expect((await store.get("a"))?.system_prompt).toBe("One.");
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain("a.yaml: system_prompt");
  write("b.yaml", voice("b", "Changed."));
  expect((await store.get("b"))?.system_prompt).toBe("Changed.");
  await store.reload();
  expect(lines).toHaveLength(2);
  write("a.yaml", voice("a", "Mended."));
  expect((await store.get("a"))?.system_prompt).toBe("Mended.");
});

test("a change is noticed when inode, modification time and size stay the same, and so is a change of permissions", async () => {
  const { folder, write } = newFolder();
  const file = join(folder, "a.yaml");
  write("a.yaml", voice("a", "One."));
  utimesSync(file, 1_700_000_000, 1_700_000_000);
  const store = await openVoiceStore(folder, silentLog);
  write("a.yaml", voice("a", "Two."));
  utimesSync(file, 1_700_000_000, 1_700_000_000);
  expect((await store.get("a"))?.system_prompt).toBe("Two.");
});

test("two files with the same config_id are an error at the start, and later the first by name wins", async () => {
  const { folder, write, lines, log } = newFolder();
  write("a.yaml", voice("a", "One."));
  const store = await openVoiceStore(folder, log);
  write("b.yaml", voice("a", "Two."));
  expect((await store.get("a"))?.system_prompt).toBe("One.");
  expect(lines.join("")).toContain("already used by");
  await expect(openVoiceStore(folder, silentLog)).rejects.toThrow(/b\.yaml: config_id: a is already used by .*a\.yaml/);
});

test("an invalid file at the start is an error that names it", async () => {
  const { folder, write } = newFolder();
  write("bad.yaml", voice("a b", "x"));
  await expect(openVoiceStore(folder, silentLog)).rejects.toThrow(/bad\.yaml: config_id: must be 1-128/);
});

test("a configuration accepts only known fields and values", async () => {
  const base = { config_id: "a", system_prompt: "x" };
  const fields = (extra: object) =>
    voiceConfigurationSchema.safeParse({ ...base, ...extra }).error?.issues.map(({ path }) => path.join("."));
  expect(
    fields({ facts: ["We open at nine."], greeting: "Hello.", timezone: "Europe/Berlin", models: { llm: "big" } }),
  ).toBeUndefined();
  expect(fields({ timezone: "Mars/Base" })).toEqual(["timezone"]);
  expect(fields({ speed: 3 })).toEqual(["speed"]);
  expect(fields({ turn_detection: { silence_threshold: "x" } })).toEqual(["turn_detection.silence_threshold"]);
  expect(fields({ turn_detection: { silence_treshold: 1 } })).toEqual(["turn_detection"]);
  expect(fields({ turn_detection: { context_awareness: { enabled: true } } })).toBeUndefined();
  expect(fields({ turn_detection: { context_awareness: { enabeld: true } } })).toEqual([
    "turn_detection.context_awareness",
  ]);
  expect(fields({ emotion_detection: { enabled: 1 } })).toEqual(["emotion_detection.enabled"]);
  expect(fields({ system_prompt: "  " })).toEqual(["system_prompt"]);
  expect(fields({ extra: 1 })).toEqual([""]);
});

test("the shipped example is valid", async () => {
  const store = await openVoiceStore(join(packageRoot, "voices"), silentLog);
  expect((await store.get("front-desk"))?.turn_detection).toEqual({ silenceThresholdMs: 600 });
});

test.each([
  ["could not be read", new OakError("desk.yaml: cannot be read.", { code: "CONFIG_UNREADABLE" })],
  [
    "took too long to parse",
    new OakError("desk.yaml: cannot be parsed.", { code: "CONFIG_INVALID", cause: new ParsingStopped("too long") }),
  ],
])("a file that %s once is read again after a while, although it did not change", async (_, failure) => {
  const folder = temporaryFolder();
  const clock = new VirtualClock();
  const lines: string[] = [];
  const log = pino({ level: "error" }, { write: (line: string) => void lines.push(line) });
  const store = await openVoiceStore(folder, log, undefined, clock);
  const read = vi.spyOn(VoiceFileReader.prototype, "read").mockRejectedValueOnce(failure);
  onTestFinished(() => read.mockRestore());
  writeFileSync(join(folder, "desk.yaml"), "{ config_id: desk, system_prompt: You are Oak. }");
  expect(await store.get("desk")).toBeUndefined();
  expect(await store.get("desk")).toBeUndefined();
  expect(read).toHaveBeenCalledTimes(1);
  clock.advance(30_000);
  expect((await store.get("desk"))?.config_id).toBe("desk");
  expect(lines).toHaveLength(1);
});

test("a file with wrong content is read again only when it changes", async () => {
  const folder = temporaryFolder();
  const clock = new VirtualClock();
  const store = await openVoiceStore(folder, silentLog, undefined, clock);
  const read = vi.spyOn(VoiceFileReader.prototype, "read");
  onTestFinished(() => read.mockRestore());
  writeFileSync(join(folder, "desk.yaml"), "{ config_id: desk }");
  for (let asked = 0; asked < 3; asked += 1) {
    expect(await store.get("desk")).toBeUndefined();
    clock.advance(3_600_000);
  }
  expect(read).toHaveBeenCalledTimes(1);
});
