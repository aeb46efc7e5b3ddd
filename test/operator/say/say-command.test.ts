import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { readWav } from "../../../src/audio/wav.ts";
import { loadServerConfig } from "../../../src/config/server-config.ts";
import { sayCommand } from "../../../src/operator/say/say-command.ts";
import { silentLog } from "../../../src/shared/log.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const { config } = loadServerConfig(undefined, {});

async function say(args: readonly string[], voicesDir = config.voicesDir): Promise<readonly string[]> {
  const lines: string[] = [];
  await sayCommand(args, { ...config, voicesDir }, async (line) => void lines.push(line), silentLog);
  return lines;
}

const secondsOf = (file: string): number => {
  const { samples, sampleRateHz } = readWav(readFileSync(file));
  return samples.length / sampleRateHz;
};

it("writes a file for each line, as it is said", async () => {
  const folder = temporaryFolder();
  const file = path.join(folder, "texts.txt");
  writeFileSync(file, "Room 305.\n\nIt costs $12.50, and breakfast is at 7:30 AM.\n");
  const out = path.join(folder, "wav");
  expect(await say(["--file", file, "--out", out])).toEqual([
    "1.wav Room 305.",
    "2.wav It costs $12.50, and breakfast is at 7:30 AM.",
  ]);
  expect(readdirSync(out)).toEqual(["1.wav", "2.wav"]);
  expect(secondsOf(path.join(out, "1.wav"))).toBeGreaterThan(0.8);
  expect(secondsOf(path.join(out, "2.wav"))).toBeGreaterThan(3);
  expect(readWav(readFileSync(path.join(out, "1.wav"))).sampleRateHz).toBe(24_000);
});

it("speaks with the speed of a voice configuration", async () => {
  const folder = temporaryFolder();
  mkdirSync(path.join(folder, "voices"));
  writeFileSync(
    path.join(folder, "voices", "slow.yaml"),
    "config_id: slow\nsystem_prompt: Be brief.\nvoice: heart\nspeed: 0.5\n",
  );
  const text = "We are open all year round.";
  await say([text, "--out", path.join(folder, "usual")]);
  await say([text, "--out", path.join(folder, "slow"), "--config-id", "slow"], path.join(folder, "voices"));
  const ratio = secondsOf(path.join(folder, "slow", "1.wav")) / secondsOf(path.join(folder, "usual", "1.wav"));
  expect(ratio).toBeGreaterThan(1.6);
});

it.each([
  [["Hello."], /--out names no folder/],
  [["--out", "x"], /Give a text or --file/],
  [["Hello.", "--file", "y", "--out", "x"], /Give a text or --file/],
  [["Hello", "there.", "--out", "x"], /quotation marks/],
])("refuses %j", async (args, message) => {
  await expect(say(args)).rejects.toThrow(message);
});

it("names the voice configurations that there are", async () => {
  const folder = temporaryFolder();
  await expect(say(["Hello.", "--out", folder, "--config-id", "nobody"])).rejects.toThrow(
    /no voice configuration "nobody"/,
  );
});
