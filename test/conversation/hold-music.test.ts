import { expect, test } from "vitest";
import { CALL_HZ } from "../../src/audio/format.ts";
import { floatToPcm16 } from "../../src/audio/pcm16.ts";
import { tune } from "../audio/signals.ts";
import { silence } from "../support/audio.ts";
import { Line, starterEngines } from "../support/line.ts";

test("an assistant on hold stays quiet, and asks again in the silence after the music", async () => {
  await using line = new Line(await starterEngines());
  line.session.configure({ turnDetection: { idleMs: 5_000 } });
  line.session.attach();
  const music = Buffer.alloc(20 * CALL_HZ * 2);
  floatToPcm16(tune(CALL_HZ, 20 * CALL_HZ), music);
  await line.speak(music);
  const kinds = line.all("voice_activity").map(({ data }) => data.kind);
  expect(kinds.slice(20).every((kind) => kind === "music")).toBe(true);
  expect([line.all("turn_start").length, line.replies]).toEqual([0, 0]);
  await line.speak(silence(9));
  expect(line.replies).toBeGreaterThan(0);
});
