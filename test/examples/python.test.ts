import { execFile, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readWav } from "../../src/audio/wav.ts";
import { packageRoot } from "../../src/shared/package-root.ts";
import { TestBox } from "../support/box.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const python = process.env["OAKVOICE_EXAMPLE_PYTHON"] ?? "python3";
const canRun = spawnSync(python, ["-c", "import websockets.asyncio.client"]).status === 0;
if (!canRun) process.stderr.write(`the Python example: SKIPPED, websockets is missing in ${python}\n`);

const run = (...args: string[]) =>
  promisify(execFile)(python, [join(packageRoot, "examples", "python", "talk.py"), ...args], { encoding: "utf8" });

describe.skipIf(!canRun)("the Python example", () => {
  const folder = temporaryFolder();
  const reply = join(folder, "reply.wav");
  const question = join(packageRoot, "scripts", "talk-sample.wav");
  let box: TestBox;
  beforeAll(async () => {
    box = await TestBox.start();
  });
  afterAll(async () => {
    await box.close();
  });

  it("asks, prints the transcript and the answer, and writes the reply", async () => {
    const url = new URL(box.url());
    const key = url.searchParams.get("api_key") ?? "";
    const { stdout } = await run(question, reply, "--key", key, "--base", `ws://${url.host}`);
    expect(stdout).toMatch(/^you: .*what time it is/mu);
    const { samples, sampleRateHz } = readWav(readFileSync(reply));
    expect(sampleRateHz).toBe(24_000);
    expect(samples.length).toBeGreaterThan(12_000);
  });

  it("reports that no server listens", async () => {
    const nobody = ["--key", "oak_wrong", "--base", "ws://127.0.0.1:1"];
    await expect(run(question, reply, ...nobody)).rejects.toThrow(
      /cannot connect to ws:\/\/127\.0\.0\.1:1: (?!.*Traceback)/su,
    );
  });

  it("prints why the server refused it", async () => {
    const { host } = new URL(box.url());
    await expect(run(question, reply, "--key", "oak_wrong", "--base", `ws://${host}`)).rejects.toThrow(
      "INVALID_API_KEY",
    );
  });
});
