import { english } from "../../../src/language/packs/en/en.ts";
import { expect, test } from "vitest";
import { Ear } from "../../../src/conversation/ear/ear.ts";
import { DEFAULT_SETTINGS } from "../../../src/config/settings/session-settings.ts";
import { fakeEngines } from "../../support/fake-engines.ts";
import { faults, onFault, ownedTasks } from "../../support/faults.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

test("skipped audio does not cause a burst of level messages", () => {
  const reported: string[] = [];
  const ear = new Ear({
    language: () => english,
    suppressesNoise: () => true,
    onlyCaller: false,
    engines: fakeEngines({}).engines,
    clock: new VirtualClock(),
    signal: new AbortController().signal,
    tasks: ownedTasks(),
    faults,
    emit: ({ type }) => reported.push(type),
    onFrame: () => false,
    onFailure: (_stage, error) => onFault(error),
  });
  const report = (atMs: number) => ear.report(atMs, false, DEFAULT_SETTINGS.emotionDetection);
  for (let atMs = 32; atMs <= 320; atMs += 32) report(atMs);
  reported.length = 0;
  for (let atMs = 40_000; atMs < 41_000; atMs += 32) report(atMs);
  expect(reported).toEqual(Array(5).fill("level"));
});
