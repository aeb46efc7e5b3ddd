import { expect, test } from "vitest";
import { replyKey } from "../../src/conversation/reply/text/history.ts";
import { withoutTime } from "../support/time-notes.ts";
import { LOUD, scriptedCall } from "../support/scripted-call.ts";

test("an inserted message is answered when the client asks, with its instructions beside it", async () => {
  const { session, prompts, settle } = scriptedCall();
  session.history.insert({ key: "a", role: "user", text: "What time is it?", note: "" });
  session.respond({ instructions: "Be brief." });
  await settle();
  const asked = prompts[0]?.messages.slice(1) ?? [];
  expect(withoutTime(asked)).toEqual([{ role: "user", content: "What time is it?\n(Be brief.)" }]);
  expect(asked[0]?.content).toMatch(/^\(It is /u);
});

test("a reply beside the conversation has its own messages and leaves nothing", async () => {
  const { session, prompts, settle, stream } = scriptedCall();
  session.respond({ messages: [{ role: "user", content: "Sum up." }], isSide: true });
  await settle();
  await stream(0, 5000);
  session.respond({});
  await settle();
  expect(prompts[0]?.messages.slice(1)).toEqual([{ role: "user", content: "Sum up." }]);
  expect(withoutTime(prompts[1]?.messages.slice(1) ?? [])).toEqual([
    { role: "user", content: "(The caller says nothing.)" },
  ]);
});

test("a truncated reply keeps the words that were heard, in later prompts too", async () => {
  const { session, prompts, stream } = scriptedCall();
  await stream(LOUD, 600);
  await stream(0, 4000);
  const heard = session.history.truncate(replyKey(1), 1000);
  expect(heard).toBe("One two three four");
  await stream(LOUD, 600);
  await stream(0, 1000);
  expect(withoutTime(prompts[1]?.messages.slice(2, 3) ?? [])).toEqual([{ role: "assistant", content: heard }]);
});

test("text replies need no voice and end when they are written", async () => {
  const { session, settle, all, stream } = scriptedCall({
    synthesize: () => {
      throw new Error("nothing may be spoken");
    },
  });
  session.configure({ reply: { speaks: false } });
  await stream(LOUD, 600);
  await stream(0, 1000);
  await settle();
  expect(all("llm_response_chunk").at(-1)).toMatchObject({ is_final: true });
  expect(all("error")).toEqual([]);
});

test("instructions take the place of the system prompt", async () => {
  const { session, prompts, stream } = scriptedCall();
  session.configure({ reply: { instructions: "You are a pirate.", maxTokens: 7 } });
  await stream(LOUD, 600);
  await stream(0, 1000);
  expect(prompts[0]?.messages[0]?.content).toBe("You are a pirate.");
  expect(prompts[0]?.maxTokens).toBe(7);
});
