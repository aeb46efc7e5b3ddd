import { expect, test } from "vitest";
import { CALL_SAMPLES_PER_MS } from "../../src/audio/format.ts";
import type { CallRecords } from "../../src/call-record/call-records.ts";
import { RecordWav } from "../../src/call-record/reading/record-wav.ts";
import { contents, openRecords, recordedCall, settle } from "../support/recorded-call.ts";
import { LOUD, tone } from "../support/scripted-call.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const WAV_HEADER_BYTES = 44;

test.each([
  [560, []],
  [560, ["card"]],
  [3_000, []],
])("audio that the network held back for %i ms stays beside the words, redacted: %j", async (stallMs, redact) => {
  const clock = new VirtualClock();
  const records = await openRecords(clock);
  const talk = recordedCall(records, { clock, record: { consent: "none", keep: ["words", "audio"], redact } });
  await talk.stream(0, 2_000);
  clock.advance(stallMs);
  for (let ms = 0; ms < stallMs; ms += 20) {
    talk.session.pushAudio(tone(0, 20));
    await settle();
  }
  await talk.stream(LOUD, 1_000);
  await talk.stream(0, 6_000);
  await talk.hangUp();

  const [record] = await contents(records);
  const spoken = record?.words.find((line) => line.type === "caller");
  const startMs = spoken !== undefined && "startMs" in spoken ? spoken.startMs : 0;
  expect(Math.abs(startMs - 2_000 - stallMs)).toBeLessThan(150);
  expect(Math.abs((await firstSoundMs(records, record?.id ?? "")) - startMs)).toBeLessThan(150);
  await records.close();
});

/** Where the caller's channel begins to sound. */
async function firstSoundMs({ store }: CallRecords, id: string): Promise<number> {
  const reader = await store.audio(id);
  if (reader === undefined) throw new Error("no audio was kept");
  const pieces: Buffer[] = [];
  for await (const piece of (await RecordWav.open(reader)).pieces()) pieces.push(piece);
  await reader[Symbol.asyncDispose]();
  const samples = Buffer.concat(pieces).subarray(WAV_HEADER_BYTES);
  let at = 0;
  while (at + 4 <= samples.length && Math.abs(samples.readInt16LE(at)) < 1_000) at += 4;
  return at / 4 / CALL_SAMPLES_PER_MS;
}
