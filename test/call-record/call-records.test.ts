import { afterEach, beforeEach, expect, test } from "vitest";
import { findRecords } from "../../src/call-record/reading/find-records.ts";
import { CallRecords, type CallRecordsOptions } from "../../src/call-record/call-records.ts";
import type { VoiceConfiguration } from "../../src/config/voice-configuration.ts";
import type { ToolCall } from "../../src/engines/llm/language-model.ts";
import { silentLog } from "../../src/shared/log.ts";
import {
  contents,
  fileNamesIn,
  filesWith,
  recordConfig,
  recordedCall,
  settle,
  type RecordedScript,
} from "../support/recorded-call.ts";
import { LOUD } from "../support/scripted-call.ts";
import { manualTool } from "../support/tools.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const CARD = "4111 1111 1111 1111";
let clock: VirtualClock;
let config: CallRecordsOptions["config"];
let records: CallRecords;
let voices: VoiceConfiguration[];

beforeEach(async () => {
  clock = new VirtualClock();
  config = recordConfig();
  voices = [];
  records = await open();
});
afterEach(() => records.close());

const open = (now?: () => Date) =>
  CallRecords.open({ config, allowedHosts: [], voices: () => voices, log: silentLog, clock, ...(now && { now }) });

const call = (script: Omit<RecordedScript, "clock">) => recordedCall(records, { clock, ...script });
const saying = (...texts: readonly string[]): Pick<RecordedScript, "transcribe"> => {
  let turn = -1;
  let lastFrom = -1;
  return {
    transcribe: async ({ samples }) => {
      // A longer clip is the same turn.
      if (samples.length < lastFrom || turn < 0) turn += 1;
      lastFrom = samples.length;
      return texts[Math.min(turn, texts.length - 1)] ?? "";
    },
  };
};

test("a call without the setting has no record", () => {
  const voice = { config_id: "desk" } as VoiceConfiguration;
  expect(records.recorder({ connectionId: "c", owner: "", voice }, () => undefined)).toBeUndefined();
  expect(fileNamesIn(config.dir)).toEqual(["store.oak"]);
});

test("turns, replies, tools and the end are kept, redacted, and no byte of the folder shows a word", async () => {
  const { tool, runs } = manualTool("book_table");
  const booking: ToolCall = {
    id: "t1",
    name: "book_table",
    arguments: JSON.stringify({ name: "Henrietta", card: CARD, guests: 4 }),
  };
  const replies: (string | ToolCall)[][] = [
    ["I book it now. ", booking],
    ["Done, Henrietta Blackwood. Your card 4111 1111 1111 1111 is fine."],
  ];
  const talk = call({
    record: { consent: "none", keep: ["words", "tools", "emotion", "audio"] },
    greeting: "Welcome to the Oak Hotel.",
    callerId: "guest-17",
    transcribe: async () => `my name is Henrietta Blackwood and my card is ${CARD}`,
    openTools: () => [tool],
    async *generate() {
      yield* replies.shift() ?? ["Well then."];
    },
  });
  await talk.stream(0, 2_000);
  await talk.speak(1_500);
  runs[0]?.done(JSON.stringify({ booked: true, phone: "555-867-5309" }));
  await talk.stream(0, 6_000);
  await talk.hangUp();
  const [record, ...others] = await contents(records);
  expect(others).toEqual([]);
  expect(record).toMatchObject({
    state: "ended",
    endReason: "caller_left",
    configId: "desk",
    callerId: "guest-17",
    connectionId: "c1",
    keyId: "api_key key_1",
    turns: 1,
    parts: ["call", "words", "tools", "audio"],
    consent: [{ state: "not asked", how: "configuration" }],
  });
  const lines = record?.words.filter(({ type }) => type === "caller" || type === "assistant");
  expect(lines?.map((line) => "text" in line && line.text)).toEqual([
    "Welcome to the Oak Hotel.",
    "my name is [name] and my card is [card]",
    "I book it now. ",
    "Done, [name] [name]. Your card [card] is fine.",
  ]);
  expect(record?.toolCalls).toMatchObject([
    {
      name: "book_table",
      outcome: "done",
      arguments: '{"name":"[name]","card":"[card]","guests":4}',
      result: '{"booked":true,"phone":"[phone]"}',
    },
  ]);
  expect(record?.hidden).toEqual({ name: 3, card: 2 });
  expect(JSON.stringify(record)).not.toMatch(/Henrietta|Blackwood|4111|5309/iu);
  expect(
    // Encrypted bytes hold shorter texts by chance.
    filesWith(config.dir, [
      "Oak Hotel",
      "Henrietta",
      "Blackwood",
      "4111 1111",
      "guest-17",
      "book_table",
      "connectionId",
    ]),
  ).toEqual([]);
});

test("the heard part of an interrupted reply is kept beside its text", async () => {
  const talk = call({
    record: { consent: "none", redact: [] },
    transcribe: async () => "please stop that now and listen to me",
  });
  await talk.speak(1_800);
  await talk.stream(LOUD, 1_500);
  await talk.stream(0, 8_000);
  await talk.hangUp();
  const [record] = await contents(records);
  const replies = record?.words.filter((line) => line.type === "assistant") ?? [];
  expect(replies[0]).toMatchObject({ how: "interrupted", text: "One two three four five. Six seven eight nine ten." });
  const { heard, text } = replies[0] as { heard?: string; text: string };
  expect(heard).toBeDefined();
  expect(text.startsWith(heard ?? "?")).toBe(true);
});

test("a number that is dictated over several turns is hidden in all of them", async () => {
  const talk = call({
    record: { consent: "none", keep: ["words", "audio"] },
    ...saying("it is 4111 1111", "1111 1111", "thank you very much"),
    async *generate() {
      yield "Go on.";
    },
  });
  for (let turn = 0; turn < 3; turn += 1) await talk.speak(4_000);
  await talk.hangUp();
  const [record] = await contents(records);
  const turns = record?.words.flatMap((line) => (line.type === "caller" ? [line.text] : []));
  expect(turns?.[0]).toBe("it is [card]");
  expect(turns?.[1]).not.toMatch(/1111/u);
  expect(turns?.[2]).toBe("thank you very much");
});

test("digits that turn out to be harmless are shown again", async () => {
  const talk = call({ record: { consent: "none" }, ...saying("my room is 1204", "thank you very much") });
  await talk.speak();
  await talk.speak();
  await talk.hangUp();
  const [record] = await contents(records);
  expect(record?.words.flatMap((line) => (line.type === "caller" ? [line.text] : []))).toEqual([
    "my room is 1204",
    "thank you very much",
  ]);
});

test("ask: nothing is kept before the yes, and everything after it", async () => {
  const talk = call({
    record: { consent: "ask" },
    greeting: "Hello.",
    ...saying("yes please", "my room is cold today"),
  });
  expect(talk.states()).toEqual(["asked"]);
  await talk.stream(0, 4_000);
  expect(talk.events.flatMap((event) => (event.type === "reply-text" ? [event.text] : [])).join("")).toBe(
    "Hello. May this call be recorded?",
  );
  expect(await records.store.ids()).toEqual([]);
  await talk.speak();
  expect(talk.states()).toEqual(["asked", "on"]);
  await talk.speak();
  await talk.hangUp();
  const [record] = await contents(records);
  expect(record?.consent).toMatchObject([{ state: "given", how: "said" }]);
  expect(record?.words.flatMap((line) => (line.type === "caller" ? [line.text] : []))).toEqual([
    "my room is cold today",
  ]);
});

test("ask: a no is kept as a no and nothing else", async () => {
  const talk = call({
    record: { consent: "ask", keep: ["words", "tools", "audio"] },
    callerId: "guest-17",
    ...saying("no I do not want that", "my room is cold"),
  });
  await talk.stream(0, 3_000);
  await talk.speak();
  await talk.speak();
  await talk.hangUp();
  const found = await contents(records);
  expect(found).toHaveLength(1);
  const { id: _, startedAt, endedAt, consent, ...rest } = found[0]!;
  expect(startedAt).toBe(endedAt);
  expect(consent).toMatchObject([{ state: "refused", how: "said" }]);
  expect(rest).toEqual({
    state: "refused",
    configId: "desk",
    projectId: "default",
    retentionDays: { call: 30 },
    parts: ["call"],
    words: [],
    toolCalls: [],
  });
});

test("ask: words that are neither are asked about twice more, and a later yes answers something else", async () => {
  const talk = call({
    record: { consent: "ask" },
    ...saying("what is the weather", "is it warm", "and tomorrow", "yes please"),
  });
  await talk.stream(0, 3_000);
  for (let turn = 0; turn < 4; turn += 1) await talk.speak(9_000);
  await talk.hangUp();
  const asked = talk.events.flatMap((event) => (event.type === "reply-text" ? [event.text] : [])).join("");
  expect(asked.split("May this call be recorded?")).toHaveLength(4);
  expect((await contents(records)).map(({ state }) => state)).toEqual(["refused"]);
});

test("ask: a yes without the question before it does not count", async () => {
  const talk = call({ record: { consent: "ask" }, ...saying("yes please") });
  // The caller speaks before the question was heard.
  await talk.stream(LOUD, 1_000);
  await talk.stream(0, 1_000);
  expect(talk.states()).toEqual(["asked"]);
  await talk.hangUp();
  expect(await records.store.ids()).toEqual([]);
});

test.each(["announce", "ask", "required"])(
  "%s: a sentence that the caller interrupted is said again",
  async (consent) => {
    const talk = call({
      record: { consent },
      greeting: "Hello.",
      ...saying("good morning to you my friend", "yes please"),
    });
    await talk.stream(LOUD, 1_500);
    await talk.stream(0, 9_000);
    const said = talk.events.flatMap((event) => (event.type === "reply-text" ? [event.text] : [])).join("");
    expect(said.split(consent === "announce" ? "This call is recorded." : "May this call be recorded?")).toHaveLength(
      3,
    );
    if (consent !== "announce") {
      expect(talk.states()).toEqual(["asked"]);
      await talk.speak();
    }
    expect(talk.states().at(-1)).toBe("on");
    await talk.hangUp();
  },
);

test("required: the call ends after a no", async () => {
  const talk = call({ record: { consent: "required" }, ...saying("no") });
  await talk.stream(0, 3_000);
  await talk.speak(9_000);
  expect(talk.events.filter(({ type }) => type === "call-ended")).toHaveLength(1);
  await talk.hangUp();
});

test("announce: the caller hears it before the greeting, and the record begins at once", async () => {
  const talk = call({ record: { consent: "announce" }, greeting: "Hello." });
  await talk.stream(0, 4_000);
  await talk.hangUp();
  const [record] = await contents(records);
  expect(record?.consent).toMatchObject([{ state: "announced" }]);
  expect(record?.words).toMatchObject([{ type: "assistant", text: "This call is recorded. Hello." }]);
});

test("a tool call without such words changes nothing", async () => {
  const stop: ToolCall = { id: "t1", name: "stop_recording", arguments: "{}" };
  const replies: (string | ToolCall)[][] = [[stop]];
  const talk = call({
    record: { consent: "none" },
    ...saying("my room is cold"),
    async *generate() {
      yield* replies.shift() ?? ["Yes."];
    },
  });
  await talk.speak();
  await talk.hangUp();
  expect((await contents(records)).map(({ state }) => state)).toEqual(["ended"]);
});

test.each(["message", "tool", "said"] as const)(
  "a withdrawal by a %s erases what was kept, and says when and how",
  async (how) => {
    const stop: ToolCall = { id: "t1", name: "stop_recording", arguments: "{}" };
    const replies: (string | ToolCall)[][] = [["All right."], ...(how === "tool" ? [[stop]] : [])];
    const talk = call({
      record: { consent: "announce", keep: ["words", "tools", "audio"] },
      callerId: "guest-17",
      ...saying(
        "my room is cold",
        how === "said" ? "please do not record me" : "about that recording",
        "I have a secret",
      ),
      async *generate() {
        yield* replies.shift() ?? ["Yes."];
      },
    });
    await talk.stream(0, 3_000);
    await talk.speak();
    const [before] = await records.store.ids();
    await talk.speak();
    if (how === "message") talk.session.recording?.consent(false);
    await talk.speak();
    await talk.hangUp();
    expect(talk.states()).toEqual(["on", "off"]);
    const found = await contents(records);
    expect(found.map(({ id }) => id)).not.toContain(before);
    expect(found).toMatchObject([
      {
        state: "withdrawn",
        consent: [{ state: "announced" }, { state: "withdrawn", how }],
        words: [],
        parts: ["call"],
      },
    ]);
    expect(JSON.stringify(found)).not.toContain("guest-17");
  },
);

test("a client's yes begins the record without a question, and again after a withdrawal", async () => {
  const talk = call({ record: { consent: "ask" } });
  talk.session.recording?.consent(true);
  await talk.speak();
  talk.session.recording?.consent(false);
  talk.session.recording?.consent(true);
  await talk.speak();
  await talk.hangUp();
  expect(talk.states()).toEqual(["asked", "on", "off", "on"]);
  expect((await contents(records)).map(({ state }) => state).toSorted()).toEqual(["ended", "withdrawn"]);
});

test("erasing a call that goes on removes it, and nothing more of it is kept", async () => {
  const talk = call({ record: { consent: "none", keep: ["words", "audio"] } });
  await talk.speak();
  await records.flush();
  const ids = await records.store.ids();
  expect(await records.erase(ids, "key key_2")).toEqual(ids);
  await talk.speak();
  await talk.hangUp();
  expect(await records.store.ids()).toEqual([]);
  expect(fileNamesIn(config.dir)).toEqual(["audit.jsonl", "store.oak"]);
});

test("each part is erased after its days, and all of it after those of the call, also after months off", async () => {
  const talk = call({
    record: {
      consent: "none",
      keep: ["words", "tools", "audio"],
      retention_days: { call: 90, words: 30, tools: 10, audio: 2 },
    },
  });
  await talk.speak();
  await talk.hangUp();
  const partsAfter = async (days: number) => {
    await records.close();
    records = await open(() => new Date(Date.now() + days * 86_400_000));
    return (await contents(records)).map(({ parts }) => parts);
  };
  expect(await partsAfter(1.9)).toEqual([["call", "words", "tools", "audio"]]);
  expect(await partsAfter(2.1)).toEqual([["call", "words", "tools"]]);
  // A clock that is set back brings nothing back and erases nothing.
  expect(await partsAfter(-400)).toEqual([["call", "words", "tools"]]);
  expect(await partsAfter(31)).toEqual([["call"]]);
  expect(await partsAfter(300)).toEqual([]);
  expect(fileNamesIn(config.dir)).toEqual(["audit.jsonl", "store.oak"]);
});

test("a running server erases what is due within the hour", async () => {
  let days = 0;
  await records.close();
  records = await open(() => new Date(Date.now() + days * 86_400_000));
  const talk = call({ record: { consent: "none", retention_days: { call: 1, words: 1, tools: 1, audio: 1 } } });
  await talk.speak();
  await talk.hangUp();
  days = 2;
  clock.advance(3_600_000);
  await expect.poll(async () => await records.store.ids()).toEqual([]);
});

test("a day of calls: at no hour is a part older than its days, and nothing younger is gone", async () => {
  await records.close();
  const startMs = Date.now();
  const nowMs = () => startMs + clock.nowMs();
  records = await open(() => new Date(nowMs()));
  const days = { call: 0.5, words: 0.25, tools: 0.25, audio: 0.125 };
  const hourMs = 3_600_000;
  for (let hour = 0; hour < 30; hour += 1) {
    if (hour < 24) {
      const talk = call({ record: { consent: "none", keep: ["words", "audio"], retention_days: days } });
      await talk.speak(1_500);
      await talk.hangUp();
    }
    clock.advance(hourMs);
    await records.flush();
    await settle();
    for (const { parts, endedAt } of await contents(records))
      for (const part of ["call", "words", "audio"] as const) {
        const ageMs = nowMs() - Date.parse(endedAt ?? "");
        const lifeMs = days[part] * 24 * hourMs;
        // The server looks once an hour.
        if (ageMs > lifeMs + hourMs) expect(parts).not.toContain(part);
        if (ageMs < lifeMs) expect(parts).toContain(part);
      }
  }
  expect((await contents(records)).length).toBeGreaterThan(3);
  clock.advance(12 * hourMs);
  await expect.poll(async () => (clock.advance(hourMs), await records.store.ids())).toEqual([]);
  expect(fileNamesIn(config.dir)).toEqual(["audit.jsonl", "store.oak"]);
});

test("a configuration whose days were lowered since is the one that counts", async () => {
  const talk = call({ record: { consent: "none", retention_days: { call: 90, words: 90 } } });
  await talk.speak();
  await talk.hangUp();
  const { recordSchema } = await import("../../src/config/call-record-settings.ts");
  voices = [
    { config_id: "desk", record: recordSchema.parse({ retention_days: { call: 90, words: 5 } }) } as VoiceConfiguration,
  ];
  await records.close();
  records = await open(() => new Date(Date.now() + 6 * 86_400_000));
  expect((await contents(records)).map(({ parts }) => parts)).toEqual([["call", "tools"]]);
});

test("a call that two connections resume has one record, found by the id of each", async () => {
  let connectionId = "c1";
  const talk = call({ record: { consent: "none" }, connectionId: () => connectionId });
  await talk.speak();
  for (const id of ["c2", "c3"]) {
    // The second one takes the call while the first one seems to be open.
    talk.session.detach(clock.nowMs());
    connectionId = id;
    talk.session.recover(undefined);
    if (id === "c3") talk.session.attach();
  }
  await talk.speak();
  await talk.hangUp();
  const [record, ...others] = await contents(records);
  expect(others).toEqual([]);
  expect(record).toMatchObject({ connectionId: "c1", resumedAs: ["c3"], endReason: "caller_left", turns: 2 });
  for (const id of ["c1", "c3"]) expect(await findRecords(records.store, { id })).toHaveLength(1);
});

test("a second call of the same caller has a record of its own", async () => {
  for (const connectionId of ["c1", "c2"]) {
    const talk = call({ record: { consent: "none" }, connectionId, callerId: "guest-17" });
    await talk.speak(2_000);
    await talk.hangUp();
  }
  expect(new Set((await contents(records)).map(({ connectionId }) => connectionId))).toEqual(new Set(["c1", "c2"]));
  await settle();
});
