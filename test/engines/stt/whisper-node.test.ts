import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { silentLog } from "../../../src/shared/log.ts";
import type { SpeechToText } from "../../../src/engines/stt/speech-to-text.ts";
import { makePrivateFolder } from "../../../src/engines/stt/whisper-node/private-folder.ts";
import { startWhisperNode } from "../../../src/engines/stt/whisper-node/whisper-node.ts";
import { BAD_TENSOR_TYPE, CUT_BETWEEN_TENSORS } from "./damaged-models.ts";
import { clip16k, STARTER_MODEL } from "./support.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const never = new AbortController().signal;
const BUILD_MS = 900_000;

function audioFolders(): string[] {
  return ["/dev/shm", tmpdir()]
    .filter((parent) => existsSync(parent))
    .flatMap((parent) => readdirSync(parent).map((name) => join(parent, name)))
    .filter((path) => path.includes("/oakvoice-stt-"));
}

/** The package compiles its own copy of whisper.cpp and needs tools that our build does not. */
const canBuild = ["make", "g++"].every((tool) => spawnSync(tool, ["--version"]).status === 0);
if (!canBuild) process.stderr.write("whisper-node: SKIPPED, make or g++ is missing (apt-get install make g++)\n");

describe.skipIf(!canBuild)("whisper-node on the starter model", () => {
  let folder: string;
  let others: string[];
  let stt: SpeechToText;

  beforeAll(async () => {
    folder = temporaryFolder();
    const awkward = join(folder, "a model; with $(odd) 'characters'.bin");
    symlinkSync(STARTER_MODEL, awkward);
    others = audioFolders();
    stt = await startWhisperNode({ path: awkward, threads: 1 }, silentLog);
  }, BUILD_MS);

  afterAll(async () => {
    await stt.close();
  });

  const mine = (): string => audioFolders().find((path) => !others.includes(path)) ?? "none";

  it("transcribes a sentence with word times inside the clip", async () => {
    const samples = clip16k("flite-lights.wav");
    const { text, words, confidence } = await stt.open().transcribe({ samples, kind: "final", language: "en" }, never);
    expect(text).toContain("lights"); // only this word, because the starter model is not trained on the 30 s that the package encodes
    expect(words.map(({ word }) => word).join(" ")).toBe(text);
    expect(confidence).toBeGreaterThan(0);
    let latest = 0;
    for (const { start, end } of words) {
      expect(start).toBeGreaterThanOrEqual(latest);
      expect(end).toBeGreaterThanOrEqual(start);
      latest = end;
    }
    expect(latest).toBeLessThanOrEqual(samples.length / 16_000);
  });

  it("returns no text for silence", async () => {
    const silence = await stt
      .open()
      .transcribe({ samples: new Float32Array(32_000), kind: "final", language: "en" }, never);
    expect(silence.text).toBe("");
  });

  it("runs no shell command from the language field", async () => {
    const request = { samples: new Float32Array(32_000), kind: "final" as const, language: "en; touch /tmp/owned" };
    await expect(stt.open().transcribe(request, never)).rejects.toMatchObject({ code: "STT_FAILED" });
  });

  it("rejects an aborted request with the caller's reason, and refuses partials meanwhile", async () => {
    const abort = new AbortController();
    const running = stt
      .open()
      .transcribe({ samples: clip16k("flite-time.wav"), kind: "final", language: "en" }, abort.signal);
    await expect(
      stt.open().transcribe({ samples: new Float32Array(32_000), kind: "partial", language: "en" }, never),
    ).rejects.toMatchObject({ code: "STT_BUSY" });
    abort.abort(new Error("gone"));
    await expect(running).rejects.toThrow("gone");
  });

  it("leaves no file with the caller's audio after a call", async () => {
    // A call waits for the cleanup of the previous, aborted call.
    await stt.open().transcribe({ samples: new Float32Array(32_000), kind: "final", language: "en" }, never);
    expect(readdirSync(mine())).toEqual(["model.bin"]);
    expect(statSync(mine()).mode & 0o777).toBe(0o700);
  });

  it.each([
    ["has a damaged tensor", BAD_TENSOR_TYPE, /damaged\.bin cannot be loaded: its tensor 6 is damaged/u],
    ["lacks tensors", CUT_BETWEEN_TENSORS, /check that the model is a whisper\.cpp \(ggml\) file/u],
  ])("reports a file that %s", async (_what, content, reason) => {
    const path = join(folder, "damaged.bin");
    writeFileSync(path, content);
    await expect(startWhisperNode({ path }, silentLog)).rejects.toThrow(reason);
  });
});

describe("makePrivateFolder", () => {
  it("makes a folder for this user only, and removes the folders of dead processes", () => {
    const mine = makePrivateFolder();
    const parent = join(mine, "..");
    const dead = join(parent, "oakvoice-stt-999999999-left");
    symlinkSync(mine, dead);
    const again = makePrivateFolder();
    expect(readdirSync(parent)).not.toContain("oakvoice-stt-999999999-left");
    expect(readdirSync(parent)).toContain(mine.split("/").at(-1));
    rmSync(mine, { recursive: true });
    rmSync(again, { recursive: true });
  });
});
