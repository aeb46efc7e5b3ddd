import { expect, it } from "vitest";
import { warnOfUnknownSpeaker } from "../../../src/engines/tts/speaker-choice.ts";
import { silentLog } from "../../../src/shared/log.ts";

function warningsOf(voice: string, speakers: { names: string[]; count: number } | undefined): readonly string[] {
  const warnings: string[] = [];
  const log = Object.assign(Object.create(silentLog), { warn: (_: unknown, text = "") => warnings.push(text) });
  warnOfUnknownSpeaker("Voice configuration front-desk", voice, speakers, log);
  return warnings;
}

it("warns of a speaker that is gone, and says who speaks", () => {
  expect(warningsOf("male", { names: ["heart"], count: 1 })).toEqual([
    'Voice configuration front-desk: the speech model has no speaker "male". Its speaker "heart" is used.',
  ]);
  expect(warningsOf("9", { names: [], count: 8 })[0]).toContain('Its speaker "0" is used.');
});

it("is silent about speakers that are there, and those of a remote model", () => {
  for (const voice of ["default", "heart", "0"]) expect(warningsOf(voice, { names: ["heart"], count: 1 })).toEqual([]);
  expect(warningsOf("alloy", undefined)).toEqual([]);
});
