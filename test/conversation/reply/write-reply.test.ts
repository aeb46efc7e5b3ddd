import { expect, test } from "vitest";
import { writeReply } from "../../../src/conversation/reply/write-reply.ts";
import type { GenerateRequest, ToolCall } from "../../../src/engines/llm/language-model.ts";
import { english } from "../../../src/language/en/en.ts";
import { OakError } from "../../../src/shared/errors.ts";

const request: GenerateRequest = {
  messages: [{ role: "user", content: "Order me a pizza." }],
  tools: [{ name: "book_table", description: "", parameters: {} }],
  toolChoice: "auto",
  maxTokens: 40,
  temperature: 0,
};
const call: ToolCall = { id: "call_1", name: "book_table", arguments: "{}" };
const unknown = new OakError("x", { code: "LLM_CALL_UNKNOWN" });

/** Each attempt gives these pieces. An error ends it. */
async function write(...attempts: readonly (string | ToolCall | OakError)[][]) {
  const asked: GenerateRequest[] = [];
  const chat = {
    async *generate(each: GenerateRequest) {
      asked.push(each);
      for (const piece of attempts[asked.length - 1] ?? []) {
        if (piece instanceof OakError) throw piece;
        yield piece;
      }
    },
    prefill: async () => undefined,
    close: () => undefined,
  };
  const pieces: (string | ToolCall)[] = [];
  let code: string | undefined;
  const options = { isHeard: (text: string) => /\w/u.test(text), mayBeEmpty: false, language: english };
  try {
    for await (const piece of writeReply(chat, request, AbortSignal.any([]), options))
      if (typeof piece === "string" || "id" in piece) pieces.push(piece);
  } catch (error) {
    ({ code } = error as OakError);
  }
  return { pieces, code, asked };
}

test("a reply with words or a call is asked for once", async () => {
  expect(await write(["Yes."])).toMatchObject({ pieces: ["Yes."], asked: [request] });
  expect(await write([call, unknown])).toMatchObject({ pieces: [call], code: "LLM_CALL_UNKNOWN", asked: [request] });
});

test.each([[[]], [[" "]], [["🙂"]], [[new OakError("x", { code: "MODEL_BROKEN" })]]])(
  "a reply without words is asked for once more, without calls: %j",
  async (first) => {
    const { pieces, code, asked } = await write([...first], ["No."]);
    expect([pieces.at(-1), code, asked.length]).toEqual(["No.", undefined, 2]);
    expect(asked[1]).toMatchObject({ toolChoice: "none" });
    expect(asked[1]?.messages.at(-1)?.content).toMatch(/^Order me a pizza\.\n\(Answer in one/u);
    expect(await write([...first], [...first])).toMatchObject({ code: expect.any(String) as string });
  },
);

test("the model learns that a tool does not exist, and goes on from its words", async () => {
  const { pieces, asked } = await write(["Sure. ", unknown], ["I cannot order pizza."]);
  expect(pieces).toEqual(["Sure. ", "I cannot order pizza."]);
  expect(asked[1]?.messages.slice(1)).toMatchObject([
    { role: "assistant", content: "Sure." },
    { role: "user", content: expect.stringMatching(/no such function/u) as string },
  ]);
});

test("a failure that another attempt cannot change is not tried again", async () => {
  const timeout = new OakError("x", { code: "ENGINE_TIMEOUT" });
  expect(await write([timeout], ["Yes."])).toMatchObject({ code: "ENGINE_TIMEOUT", asked: [request] });
});
