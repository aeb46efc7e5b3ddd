import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { callWith, peopleOf } from "../../bench/turns/other-voices-call.ts";
import { writeWav } from "../../src/audio/wav.ts";
import { MODEL_HZ } from "../../src/audio/format.ts";
import { seededRandom } from "../../src/simulated-callers/random.ts";
import { noise } from "../audio/signals.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const clip = writeWav({ samples: noise(4 * MODEL_HZ), sampleRateHz: MODEL_HZ });

/** A folder with six recordings of 4 s for each person. */
function setOf(...people: readonly string[]): string {
  const folder = temporaryFolder();
  for (const person of people) {
    mkdirSync(join(folder, person));
    for (let each = 0; each < 6; each++) writeFileSync(join(folder, person, `${String(each)}.wav`), clip);
  }
  return folder;
}

test("two people are enough for calls with another voice", () => {
  const people = peopleOf(setOf("anna", "b", "carla", "d"), "even", 10);
  expect(people.map(({ name }) => name)).toEqual(["anna", "carla"]);
  const others = callWith(people, 0, seededRandom(1)).parts.flatMap(({ other }) => other?.name ?? []);
  expect(new Set(others)).toEqual(new Set(["carla"]));
});

test("one person alone is refused with the reason, because there is no other voice", () => {
  const folder = setOf("anna", "b", "carla");
  expect(() => peopleOf(folder, "odd", 10)).toThrow(
    / has 1 of the two callers that the odd half must have\. A caller needs 6 recordings .*20 s in all/u,
  );
  expect(() => peopleOf(folder, "even", 1)).toThrow("Use a larger --callers");
});
