import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { clip, silence } from "../support/audio.ts";
import { TestBox } from "../support/box.ts";
import { asPhoneAudio, phoneLevel } from "../support/phone-audio.ts";
import { asteriskJson, Phone } from "../support/phone.ts";
import { RealtimeCaller } from "../support/realtime-caller.ts";

let box: TestBox;

beforeAll(async () => {
  box = await TestBox.start();
});
afterAll(() => box.close());

const ULAW = { encoding: "ulaw", sampleRateHz: 8_000 } as const;
const asked = (name: string) => Buffer.concat([silence(0.3), clip(name), silence(1)]);

test("three doors are open at once, and no caller gets an event of another", async () => {
  const native = await box.call();
  const { url, key } = box.realtime();
  const realtime = new RealtimeCaller(url, key);
  await realtime.next("session.created");
  realtime.send("session.update", { session: { type: "realtime", audio: { input: { transcription: {} } } } });
  const phone = new Phone(box.phoneUrl("/ws/asterisk", {}), asteriskJson("ulaw", 160));
  onTestFinished(() => phone.hangUp());

  await Promise.all([
    native.speak(asked("flite-timer.wav")),
    realtime.speak(asked("flite-lights.wav")),
    phone.speak(asPhoneAudio(asked("flite-time.wav"), ULAW)),
  ]);
  await Promise.all([
    native.next("tts_chunk"),
    realtime.next("response.done"),
    phone.until(() => phone.played.length > 20, "the reply"),
  ]);

  const [heardNative, heardRealtime] = [JSON.stringify(native.messages), JSON.stringify(realtime.events)];
  expect(heardNative).toMatch(/timer/u);
  expect(heardNative).not.toMatch(/light|what time|item_/u);
  expect(heardRealtime).toMatch(/light/u);
  expect(heardRealtime).not.toMatch(/timer|what time|turn_id/u);
  expect(phoneLevel(phone.played, ULAW)).toBeGreaterThan(0.005);
  expect(phone.unknown).toEqual([]);
  realtime.check();
  native.client.close();
});
