import { afterEach, beforeEach, expect, test } from "vitest";
import type { CallRecords } from "../../src/call-record/call-records.ts";
import { recordSchema } from "../../src/config/call-record-settings.ts";
import { embeddedDefault } from "../../src/config/voice-configuration.ts";
import { contents, filesWith, openRecords, recordedCall, settle } from "../support/recorded-call.ts";
import { scriptedRealtime } from "../support/scripted-realtime.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

let clock: VirtualClock;
let records: CallRecords;
beforeEach(async () => {
  clock = new VirtualClock();
  records = await openRecords(clock);
});
afterEach(() => records.close());

const call = (record: object) => recordedCall(records, { clock, record });
const typeIn = async (talk: ReturnType<typeof call>, text: string, by?: "keys") => {
  talk.session.addText(text, by);
  await settle();
  await talk.stream(0, 5_000);
};
const callersLines = async () =>
  (await contents(records)).flatMap(({ words }) =>
    words.flatMap((line) => (line.type === "caller" ? [[line.text, line.typed]] : [])),
  );

test("typed words and pressed keys are the caller's, redacted like spoken ones", async () => {
  const talk = call({ consent: "none", keep: ["words", "audio"] });
  await typeIn(talk, "my name is Henrietta Blackwood");
  await typeIn(talk, "Henrietta needs a taxi");
  await typeIn(talk, "(The caller pressed 7, then 4711 on the telephone keypad.)", "keys");
  await talk.speak();
  await talk.hangUp();
  expect(await callersLines()).toEqual([
    ["my name is [name]", "text"],
    ["[name] needs a taxi", "text"],
    ["(The caller pressed 7, then [number] on the telephone keypad.)", "keys"],
    ["hello there my friend", undefined],
  ]);
  const [record] = await contents(records);
  expect(record).toMatchObject({ turns: 4, hidden: { name: 2, number: 1 } });
  expect(filesWith(records.store.folder, ["Henrietta", "needs a taxi"])).toEqual([]);
});

test("a card that is typed in two parts is hidden in both", async () => {
  const talk = call({ consent: "none" });
  await typeIn(talk, "it is 4111 1111");
  await typeIn(talk, "1111 1111");
  await typeIn(talk, "thank you");
  await talk.hangUp();
  expect((await callersLines()).map(([text]) => text).join("|")).not.toMatch(/\d/u);
});

test.each([
  ["yes", ["asked", "on"], "ended"],
  ["no", ["asked", "off"], "refused"],
])("ask: a typed %s counts", async (answer, states, state) => {
  const talk = call({ consent: "ask" });
  await talk.stream(0, 4_000);
  await typeIn(talk, answer);
  await typeIn(talk, "my room is cold");
  await talk.hangUp();
  expect(talk.states()).toEqual(states);
  expect(await contents(records)).toMatchObject([{ state, consent: [{ how: "typed" }] }]);
  expect(await callersLines()).toEqual(answer === "yes" ? [["my room is cold", "text"]] : []);
});

test("a typed withdrawal erases the record", async () => {
  const talk = call({ consent: "none" });
  await typeIn(talk, "my room is cold");
  await typeIn(talk, "please do not record me");
  await talk.hangUp();
  expect(talk.states()).toEqual(["on", "off"]);
  expect(await contents(records)).toMatchObject([{ state: "withdrawn", words: [] }]);
});

test("text items of the realtime door are the caller's, those of others are not", async () => {
  const voice = { ...embeddedDefault, record: recordSchema.parse({ consent: "none" }) };
  const recorder = records.recorder({ connectionId: "sess_1", owner: "", voice }, () => undefined);
  if (recorder === undefined) throw new Error("the call has no record");
  recorder.start();
  const { update, send } = scriptedRealtime({ recording: recorder });
  update({});
  const item = (role: string, kind: string, text: string) =>
    send("conversation.item.create", { item: { type: "message", role, content: [{ type: kind, text }] } });
  item("system", "input_text", "be brief");
  item("assistant", "output_text", "how may I help");
  item("user", "input_text", "my name is Henrietta");
  recorder.ended();
  await records.flush();
  expect(await callersLines()).toEqual([["my name is [name]", "text"]]);
});
