import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { loadAddon } from "../../../../src/engines/stt/whisper/addon.ts";
import { whisperPrompt } from "../../../../src/engines/stt/text/whisper-prompt.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";
import { clip16k, STARTER_MODEL } from "../support.ts";

it("has as many phrases as fit, the first ones first", () => {
  expect(whisperPrompt([])).toBe("");
  expect(whisperPrompt(["Dr. Novak", "Quenby"])).toBe("Dr. Novak, Quenby.");
  const many = Array.from({ length: 200 }, (_, number) => `Station ${String(number)}`);
  const prompt = whisperPrompt(many);
  expect(prompt).toMatch(/^Station 0, Station 1, .*, Station \d+\.$/u);
  expect(prompt.length).toBeGreaterThan(580);
  expect(prompt.length).toBeLessThanOrEqual(600);
});

it("comes before the clip in a Whisper's decode, and not in the next one", async () => {
  const path = join(temporaryFolder(), "model.bin");
  copyFileSync(STARTER_MODEL, path);
  const loading = { alignment: "all", alignmentLayers: 1, flashAttention: false, gpu: false };
  const lane = loadAddon().loadModel(path, loading).createLane();
  const clip = clip16k("flite-time.wav");
  const decode = (prompt: string) =>
    lane.transcribe(clip, {
      audioContext: 192,
      threads: 1,
      beams: 1,
      maxTokens: 0,
      alignsWords: true,
      language: "en",
      prompt,
    });
  const without = await decode("");
  // The starter model learned without prompts, so that a prompt changes its text or its probabilities.
  expect(await decode("the doctors are novak and quenby.")).not.toEqual(without);
  expect(await decode("")).toEqual(without);
  // A prompt that is longer than the model's text context is cut, and the lane goes on.
  expect(await decode("novak quenby ".repeat(100))).not.toEqual(without);
  expect(await decode("")).toEqual(without);
});
