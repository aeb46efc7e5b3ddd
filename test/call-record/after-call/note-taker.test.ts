import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { CallRecords } from "../../../src/call-record/call-records.ts";
import { recordSchema } from "../../../src/config/call-record-settings.ts";
import type { GenerateRequest, LanguageModel, ToolCall } from "../../../src/engines/llm/language-model.ts";
import { OakError } from "../../../src/shared/errors.ts";
import { silentLog } from "../../../src/shared/log.ts";
import { contents, filesWith, recordConfig, recordedCall, settle } from "../../support/recorded-call.ts";
import { answer, ToolServer } from "../../support/tool-server.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

const fields = {
  type: "object",
  properties: { topic: { enum: ["room", "bill"] }, calls_back: { type: "boolean" } },
  required: ["topic", "calls_back"],
};
const FIT = { topic: "room", calls_back: false };
let clock: VirtualClock;
let receiver: ToolServer;
let config: ReturnType<typeof recordConfig>;
let records: CallRecords;

beforeEach(async () => {
  vi.stubEnv("CALL_SECRET", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
  clock = new VirtualClock();
  receiver = await ToolServer.start(answer("", {}, 204));
  config = recordConfig({ url: receiver.url, secret_env: "CALL_SECRET", fields: ["end_reason", "after_call"] });
  records = await open();
});
afterEach(async () => {
  await records.close();
  await receiver.close();
  vi.unstubAllEnvs();
});

const open = () => CallRecords.open({ config, allowedHosts: [receiver.host], voices: () => [], log: silentLog, clock });

type Write = (request: GenerateRequest, signal: AbortSignal) => AsyncIterable<string | ToolCall>;
const fieldsCall = (value: object): ToolCall => ({
  id: "t",
  name: "write_down",
  arguments: JSON.stringify(value),
});

/** The model that writes notes. Returns its prompts. */
function model(write: Write, mayOpen: () => boolean = () => true): GenerateRequest[] {
  const prompts: GenerateRequest[] = [];
  const openBackground: LanguageModel["open"] = () => {
    if (!mayOpen()) throw new OakError("busy", { code: "LLM_BUSY" });
    return {
      async *generate(request, signal) {
        prompts.push(request);
        yield* write(request, signal);
      },
      prefill: async () => undefined,
      close: () => undefined,
    };
  };
  const never = () => {
    throw new Error("a call's place was used");
  };
  records.useModels(() => ({ open: never, openBackground, close: async () => undefined }));
  return prompts;
}
const good: Write = async function* ({ tools }) {
  yield tools.length === 0 ? "The room of John Becker is cold. His card is 4111 1111 1111 1111." : fieldsCall(FIT);
};
const hanging: Write = async function* (_, signal) {
  await new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
  yield "";
};

async function callOnce(connectionId = "c1") {
  const talk = recordedCall(records, {
    clock,
    connectionId,
    record: { consent: "none", after_call: { summary: true, fields } },
    transcribe: async () => "my name is Henrietta and my room is cold",
  });
  await talk.speak(4_000);
  await talk.session.close();
  await settle();
}
const notes = async () =>
  (await contents(records)).flatMap(({ words }) => words.filter(({ type }) => type === "notes"));

test("a summary and fields are written, redacted, kept, and sent by the webhook", async () => {
  const prompts = model(good);
  await callOnce();
  await expect.poll(notes).toHaveLength(1);
  const [note] = await notes();
  expect(note).toMatchObject({ summary: "The room of John Becker is cold. His card is [card].", fields: FIT });
  expect(note).not.toHaveProperty("fault");
  await expect.poll(() => receiver.requests).toHaveLength(1);
  expect(JSON.parse(receiver.requests[0]?.body ?? "")).toMatchObject({
    data: { end_reason: "caller_left", after_call: { fields: FIT } },
  });
  expect(prompts).toHaveLength(2);
  expect(JSON.stringify(prompts)).toContain("my name is [name]");
  expect(JSON.stringify(prompts)).not.toContain("Henrietta");
  await records.flush();
  expect(filesWith(config.dir, ["Becker", "is cold"])).toEqual([]);
});

test.each([
  ["a second attempt", [{ topic: "garden" }, FIT], { fields: FIT }],
  ["never", [{ topic: "garden" }, { topic: "room" }], { fault: "unfit" }],
])("fields that fit the schema: %s", async (_, attempts, expected) => {
  const answers = [...attempts];
  model(async function* ({ tools }) {
    yield tools.length === 0 ? "Cold room." : fieldsCall(answers.shift() ?? {});
  });
  await callOnce();
  await expect.poll(notes).toMatchObject([{ summary: "Cold room.", ...expected }]);
  expect(answers).toEqual([]);
});

test("a model that fails costs the notes, not the webhook", async () => {
  model(async function* () {
    yield "Cold";
    throw new OakError("private words", { code: "ENGINE_CRASHED" });
  });
  await callOnce();
  await expect.poll(() => receiver.requests).toHaveLength(1);
  expect(await notes()).toMatchObject([{ fault: "failed" }]);
});

test("a model that hangs is stopped, and the next call has its notes", async () => {
  let isFirst = true;
  const prompts = model(async function* (request, signal) {
    const own = isFirst ? hanging : good;
    isFirst = false;
    yield* own(request, signal);
  });
  await callOnce("c1");
  await expect.poll(() => prompts).toHaveLength(1);
  await callOnce("c2");
  expect(receiver.requests).toEqual([]);
  // The second call took five seconds.
  clock.advance(177_000);
  await expect.poll(notes).toHaveLength(2);
  const faults = (await notes()).map((note) => ("fault" in note ? note.fault : undefined));
  expect(new Set(faults)).toEqual(new Set([undefined, "too late"]));
});

test("work waits for a place that no caller needs", async () => {
  let isFree = false;
  const prompts = model(good, () => isFree);
  await callOnce();
  await records.store.ids();
  clock.advance(5_000);
  await settle();
  expect(prompts).toEqual([]);
  isFree = true;
  await expect.poll(async () => { clock.advance(5_000); await settle(); return await notes(); }).toHaveLength(1); // prettier-ignore
});

test("a server that stops ends the work, and the message is sent later without notes", async () => {
  model(hanging);
  await callOnce();
  await records.close();
  records = await open();
  await expect.poll(() => receiver.requests).toHaveLength(1);
  expect(await notes()).toMatchObject([{ fault: "server stopped" }]);
});

test("a record that is erased meanwhile has no notes and no message", async () => {
  model(hanging);
  await callOnce();
  const ids = await records.store.ids();
  expect(ids).toHaveLength(1);
  expect(await records.erase(ids, "key key_1")).toEqual(ids);
  await records.flush();
  await settle();
  expect(await records.store.ids()).toEqual([]);
  expect(receiver.requests).toEqual([]);
});

test.each([
  [{ keep: ["tools"], after_call: { summary: true } }, /needs words in keep/u],
  [{ after_call: {} }, /set summary or fields/u],
  [{ after_call: { fields: { type: "array" } } }, /type: object/u],
])("%j is refused", (settings, message) => {
  expect(recordSchema.safeParse(settings).error?.issues[0]?.message).toMatch(message);
});
