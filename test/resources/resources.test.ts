import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadServerConfig } from "../../src/config/server-config.ts";
import { memoryFor, recognitionUsesCard, threadsFor } from "../../src/resources/resources.ts";
import type { GraphicsCard } from "../../src/resources/graphics.ts";
import { speakerModels } from "../../src/service/engine-starters.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const { models } = loadServerConfig(undefined, {}).config;
const card: GraphicsCard = { kind: "cuda", name: "card", bytes: 8e9, freeBytes: 1e8, isUnified: false };

test("the starter models with eight calls fit into 1.6 GB", () => {
  const [plan, ...others] = memoryFor(models, 8, undefined);
  expect(others).toEqual([]);
  expect(plan?.neededBytes).toBeLessThan(1.6e9);
  expect(plan?.neededBytes).toBeGreaterThan(0.6e9);
});

test("the fast recogniser counts when its folder has files", () => {
  const folder = temporaryFolder();
  const bytes = (fastPath: string | undefined) =>
    memoryFor({ ...models, stt: { ...models.stt, fastPath } }, 8, undefined)[0]?.neededBytes ?? 0;
  expect(bytes(folder)).toBe(bytes(undefined));
  writeFileSync(join(folder, "encoder.onnx"), new Uint8Array(1e6));
  writeFileSync(join(folder, "decoder.onnx"), new Uint8Array(2e6));
  expect(bytes(folder) - bytes(undefined)).toBeGreaterThan(3e6);
});

test("the speaker encoder counts when a configuration needs it", () => {
  const [without] = memoryFor(models, 8, undefined);
  const speaker = speakerModels([{ only_my_caller: false }, { only_my_caller: true }]);
  const [counted] = memoryFor(models, 8, undefined, { speaker });
  // Resident: 104 MB, 110 MB at most (docs/decisions/0071-memory-plan.md).
  expect((counted?.neededBytes ?? 0) - (without?.neededBytes ?? 0)).toBeCloseTo(110e6, -7);
  expect(counted?.text).toContain("; speaker recognition 0.1 GB; server");
  expect(without?.text).not.toContain("speaker");
  expect(speakerModels([{ only_my_caller: false }])).toEqual([]);
});

test("engines whose setting allows the card are planned on it", () => {
  const onCard = { ...models, llm: { ...models.llm, gpu: "auto" }, stt: { ...models.stt, gpu: "vulkan" } } as const;
  const [ram, gpu] = memoryFor(onCard, 8, card);
  expect(ram?.text).toMatch(/speech recognition .*saved prompts 0\.1 GB; speech synthesis/u);
  expect(gpu?.text).toMatch(/^GPU memory: 0\.5 GB needed, 0\.1 GB free \(language model/u);
  expect(gpu?.text).not.toContain("speech recognition");
});

test("missing models need no memory, and the engine's start reports them", () => {
  const none = {
    ...models,
    llm: { ...models.llm, path: "/nowhere/model.gguf" },
    tts: { ...models.tts, dir: "/nowhere" },
  };
  expect(memoryFor(none, 8, undefined)[0]?.verdict).toBe("fits");
  expect(threadsFor(none, undefined).llm.prompt).toBe(1);
});

test("recognition runs on the CPU when auto finds a card that is too small for it", () => {
  const auto = { ...models, stt: { ...models.stt, gpu: "auto" } } as const;
  expect(recognitionUsesCard(auto, { ...card, freeBytes: 4e9 })).toBe(true);
  expect(recognitionUsesCard(auto, card)).toBe(false);
  expect(recognitionUsesCard(auto, { ...card, isUnified: true })).toBe(true);
  expect(memoryFor(auto, 8, card)).toHaveLength(1);
  // The operator named the card, so the plan reports that its memory is not sufficient.
  const named = { ...models, stt: { ...models.stt, gpu: "cuda" } } as const;
  expect(memoryFor(named, 8, card)[1]?.verdict).toBe("too much");
});
