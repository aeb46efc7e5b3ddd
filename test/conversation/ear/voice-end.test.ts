import { expect, test } from "vitest";
import { MODEL_HZ } from "../../../src/audio/format.ts";
import { SampleRing } from "../../../src/audio/ring-buffer.ts";
import { voiceEndMs } from "../../../src/conversation/ear/voice-end.ts";

/** A tone of one second, then a room at `roomDb` under it. The detector ends the turn 0.1 s after the tone. */
function ringWith(roomDb: number): SampleRing {
  const ring = new SampleRing(3 * MODEL_HZ);
  const tone = Float32Array.from({ length: MODEL_HZ }, (_, at) => 0.3 * Math.sin(at / 5));
  const room = Float32Array.from({ length: MODEL_HZ }, (_, at) => 0.3 * 10 ** (-roomDb / 20) * Math.sin(at / 7));
  ring.write(tone);
  ring.write(room);
  return ring;
}

test("the voice ends with its last loud part, not with the detector's last frame", () => {
  expect(voiceEndMs(ringWith(60), 100, 1100)).toBeCloseTo(1000, -1);
  expect(voiceEndMs(ringWith(200), 100, 1100)).toBeCloseTo(1000, -1);
});

test("in noise, in silence and for a turn without sound it is the detector's end", () => {
  expect(voiceEndMs(ringWith(20), 100, 1096)).toBe(1096);
  expect(voiceEndMs(ringWith(200), 1200, 1500)).toBe(1500);
  expect(voiceEndMs(ringWith(60), 1096, 1096)).toBe(1096);
  expect(voiceEndMs(ringWith(60), 8000, 9000)).toBe(9000);
});
