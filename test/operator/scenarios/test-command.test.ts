import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readWav } from "../../../src/audio/wav.ts";
import { loadServerConfig } from "../../../src/config/server-config.ts";
import { initCommand } from "../../../src/operator/init/init-command.ts";
import { testCommand } from "../../../src/operator/scenarios/test-command.ts";
import { silentLog } from "../../../src/shared/log.ts";
import { MAIN } from "../../support/built-program.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

async function run(folder: string, ...options: string[]): Promise<readonly string[]> {
  const lines: string[] = [];
  const print = (line: string) => Promise.resolve(void lines.push(line));
  const { config } = loadServerConfig(join(folder, "oakvoice.yaml"), {});
  await testCommand([folder, ...options], config, print, silentLog).catch((error: unknown) =>
    lines.push(String(error)),
  );
  return lines;
}

test("an example passes its tests, and fails them when a fact is changed for the worse", async () => {
  const folder = join(temporaryFolder(), "hotel");
  initCommand(["hotel", folder], "oakvoice");
  expect((await run(folder)).at(-1)).toBe("3 of 3 calls passed.");

  const file = join(folder, "voices", "hotel.yaml");
  writeFileSync(file, readFileSync(file, "utf8").replace("from 7 to 10 in", "from 8 to 9 in"));
  const report = join(folder, "report");
  const lines = await run(folder, "--only", "question", "--report", report, "--junit", join(folder, "junit.xml"));
  expect(lines[0]).toMatch(/^FAILED {2}1-a-question .*\n.*turn 1: replied ".*", wanted "seven to ten"/u);
  expect(lines.at(-1)).toMatch(/0 of 1 calls passed/u);
  expect(readdirSync(report).toSorted()).toEqual(["001.wav", "index.html"]);
  expect(readWav(readFileSync(join(report, "001.wav"))).samples.length).toBeGreaterThan(48_000);
  expect(readFileSync(join(folder, "junit.xml"), "utf8")).toContain('failures="1"');
});

test("Ctrl-C during a call ends the test and leaves no file of its server", async () => {
  const folder = join(temporaryFolder(), "hotel");
  initCommand(["hotel", folder], "oakvoice");
  const temporary = temporaryFolder();
  const child = spawn(process.execPath, [MAIN, "test", folder, "--at-once", "1"], {
    env: { ...process.env, TMPDIR: temporary },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  child.stdout.on("data", (data: Buffer) => (printed += data.toString()));
  await once(child.stdout, "data");
  child.kill("SIGINT");
  const [status, signal] = (await once(child, "exit")) as [number | null, string | null];
  expect([status, signal]).toEqual([1, null]);
  expect(printed).not.toContain("FAILED");
  expect(readdirSync(temporary)).toEqual([]);
});
