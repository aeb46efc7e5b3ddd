import { afterAll, beforeAll, expect, test } from "vitest";
import { clip, silence } from "../support/audio.ts";
import { TestBox } from "../support/box.ts";
import { RealtimeCaller } from "../support/realtime-caller.ts";

const CLINIC = `
config_id: clinic
system_prompt: You are Oak, the receptionist of a clinic.
phrases: [Dr. Drowski, Dr. Quenby]
`;

let box: TestBox;

beforeAll(async () => {
  box = await TestBox.start({ clinic: CLINIC }, "limits: { audio_burst_seconds: 600 }\n");
});
afterAll(() => box.close());

const audio = Buffer.concat([silence(0.3), clip("flite-doctor.wav"), silence(1.5)]);

test.each([
  ["phrases of the configuration", "clinic", {}, true],
  ["phrases of the client", "default", { phrases: ["Drowski"] }, true],
  ["neither", "default", {}, false],
])("a rare name is heard with %s", async (_, configId, settings, isHeard) => {
  const caller = await box.call(settings, configId);
  caller.client.sendAudio(audio);
  const { data } = await caller.next("transcription", ({ data: heard }) => heard.is_speech_final);
  caller.client.close();
  expect(data.accumulated_transcript.includes("Drowski")).toBe(isHeard);
  expect(data.accumulated_transcript).toMatch(/^i'd like to see (?:dr|doctor)\b.* on tuesday/iu);
});

test("wrong phrases of a client are refused with the name of the field, and the others stay", async () => {
  const caller = await box.call({ phrases: ["Drowski"] });
  caller.client.configure({ phrases: Array.from({ length: 201 }, () => "Quenby") });
  const { data } = await caller.next("error");
  expect(JSON.stringify(data)).toContain("phrases");
  caller.client.configure({ language: "en" });
  const { data: status } = await caller.next("status");
  expect(status.details).toMatchObject({ applied_settings: { phrases: ["Drowski"] } });
  caller.client.close();
});

test("a client of the Realtime door gives names in the transcription's prompt", async () => {
  const { url, key } = box.realtime();
  const caller = new RealtimeCaller(url, key);
  await caller.next("session.created");
  const transcription = { prompt: "Keywords: Drowski, Quenby" };
  caller.send("session.update", { session: { type: "realtime", audio: { input: { transcription } } } });
  await caller.next("session.updated");
  caller.append(audio);
  const { transcript } = await caller.next("conversation.item.input_audio_transcription.completed");
  expect(transcript).toContain("Drowski");
});
