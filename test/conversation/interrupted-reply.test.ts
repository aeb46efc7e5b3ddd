import { expect, test } from "vitest";
import { OakError } from "../../src/shared/errors.ts";
import { LOUD } from "../support/scripted-call.ts";
import { withoutTime } from "../support/time-notes.ts";
import { REPLY, wordByWordCall } from "../support/word-by-word-call.ts";

/** A session that has played about seven words of its reply. The recogniser returns `hear()` from then on. */
async function inTheReply(hear: () => string) {
  let asked = false;
  const call = wordByWordCall({ hear: () => (asked ? hear() : "hello") });
  await call.stream(LOUD, 600);
  await call.stream(0, 600);
  await call.stream(0, 1400);
  asked = true;
  return call;
}

const written = (sent: readonly { type: string; data: unknown }[]) =>
  sent.filter(({ type }) => type === "llm_response_chunk").map(({ data }) => (data as { content: string }).content);

test("a long sound without words does not interrupt the reply", async () => {
  const chunks = (types: readonly string[]) => types.filter((type) => type === "tts_chunk").length;
  const quiet = await inTheReply(() => "");
  await quiet.stream(0, 4000);
  const { prompts, stream, types } = await inTheReply(() => "");
  await stream(LOUD, 1100);
  await stream(0, 4000);
  expect(types()).not.toContain("tts_interruption");
  expect(types().filter((type) => type === "turn_start")).toHaveLength(1);
  expect(chunks(types())).toBe(chunks(quiet.types()));
  expect(prompts).toHaveLength(1);
});

test("a reply goes on with its unheard rest when the sound that stopped it had no words", async () => {
  let words: string | undefined;
  const { sent, prompts, stream, types } = await inTheReply(() => {
    if (words === undefined) throw new OakError("too much to do", { code: "STT_BUSY" });
    return words;
  });
  await stream(LOUD, 1300);
  expect(types()).toContain("tts_interruption");
  words = "";
  await stream(0, 4000);
  expect(prompts).toHaveLength(1);
  const rest = written(sent)
    .slice(written(sent).indexOf("") + 1)
    .join("");
  expect(rest).toMatch(/^(?:(?:six )?seven )?eight nine ten\.$/i);
  words = "goodbye";
  await stream(LOUD, 600);
  await stream(0, 800);
  expect(withoutTime(prompts[1]?.messages.slice(1) ?? [])).toEqual([
    { role: "user", content: "hello" },
    { role: "assistant", content: REPLY },
    { role: "user", content: "goodbye" },
  ]);
});

test("a greeting that a sound stopped before its first word is repeated, without asking the model", async () => {
  const greeting = "Llanfairpwllgwyngyllgogerychwyrndrobwll welcomes you.";
  let asked = false;
  const { sent, prompts, stream, types } = wordByWordCall({
    greeting,
    hear: () => {
      if (!asked) throw new OakError("too much to do", { code: "STT_BUSY" });
      return "";
    },
  });
  await stream(0, 100);
  await stream(LOUD, 1400);
  expect(types()).toContain("tts_interruption");
  asked = true;
  await stream(0, 3000);
  expect(prompts).toEqual([]);
  expect(written(sent).join("")).toBe(`${greeting}${greeting}`);
});

test("a greeting that a sound cancelled before any audio is repeated", async () => {
  const greeting = "Hello, how can I help you?";
  let speak = (): void => undefined;
  const { sent, prompts, stream, types } = wordByWordCall({
    greeting,
    hear: () => "",
    slow: { model: Promise.resolve(), voice: new Promise<void>((resolve) => (speak = resolve)) },
  });
  await stream(0, 100);
  await stream(LOUD, 400);
  expect(types()).toContain("turn_start");
  speak();
  await stream(0, 4000);
  expect(types()).not.toContain("tts_interruption");
  expect(types()).toContain("tts_chunk");
  expect(prompts).toEqual([]);
  expect(written(sent).join("")).toBe(`${greeting}${greeting}`);
});

test("the model is asked again when a wordless sound stopped a reply before its first sentence was written", async () => {
  let write = (): void => undefined;
  let words: string | undefined = "hello";
  const { prompts, stream, types } = wordByWordCall({
    reply: "One two three four, five six. Seven.",
    slow: { model: new Promise<void>((resolve) => (write = resolve)), voice: Promise.resolve() },
    hear: () => {
      if (words === undefined) throw new OakError("too much to do", { code: "STT_BUSY" });
      return words;
    },
  });
  await stream(LOUD, 600);
  await stream(0, 1500);
  words = undefined;
  await stream(LOUD, 1400);
  expect(types()).toContain("tts_interruption");
  words = "";
  write();
  const before = types().length;
  await stream(0, 6000);
  expect(withoutTime(prompts[1]?.messages.slice(1) ?? [])).toEqual([{ role: "user", content: "hello" }]);
  expect(types().slice(before)).toContain("tts_chunk");
});
