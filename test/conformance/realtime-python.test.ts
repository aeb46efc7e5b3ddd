import { execFile, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { packageRoot } from "../../src/shared/package-root.ts";
import { clip, silence } from "../support/audio.ts";
import { TestBox } from "../support/box.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const python = process.env["OAKVOICE_EXAMPLE_PYTHON"] ?? "python3";
const canRun = spawnSync(python, ["-c", "import openai, websockets"]).status === 0;
if (!canRun) process.stderr.write(`OpenAI for Python: SKIPPED, openai[realtime] is missing in ${python}\n`);

test.skipIf(!canRun)("the openai package for Python holds a spoken turn", async () => {
  const box = await TestBox.start({}, "limits: { audio_burst_seconds: 600 }\n");
  onTestFinished(() => box.close());
  const { url, key } = box.realtime();
  const file = join(temporaryFolder(), "question.pcm");
  writeFileSync(file, Buffer.concat([clip("flite-time.wav"), silence(1.2)]));
  const base = url.replace("ws://", "http://").replace("/realtime", "");
  const { stdout } = await promisify(execFile)(
    python,
    [join(packageRoot, "test", "conformance", "openai-turn.py"), base, file],
    { encoding: "utf8", env: { ...process.env, OPENAI_API_KEY: key } },
  );
  expect(JSON.parse(stdout)).toEqual({
    heard: expect.stringMatching(/time/u),
    said: expect.stringMatching(/\w/u),
    status: "completed",
  });
});
