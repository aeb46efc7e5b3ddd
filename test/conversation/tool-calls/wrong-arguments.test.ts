import { expect, test } from "vitest";
import type { ToolCall } from "../../../src/engines/llm/language-model.ts";
import { LOUD, scriptedCall } from "../../support/scripted-call.ts";
import { scriptedRealtime } from "../../support/scripted-realtime.ts";

const parameters = {
  type: "object",
  properties: { dish: { type: "string", enum: ["soup", "fish"] } },
  required: ["dish"],
};
const wrong: [string, string][] = [
  ["a required one is missing", "{}"],
  ["a wrong type", '{"dish":5}'],
  ["null", '{"dish":null}'],
  ["outside the enum", '{"dish":"pizza"}'],
];
/** The model writes this call first. When it hears of the fault, it asks the caller. */
const model = (args: string) => {
  let count = 0;
  return async function* generate(): AsyncGenerator<string | ToolCall> {
    count += 1;
    if (count === 1) yield { id: "call_1", name: "order_dish", arguments: args };
    else yield "Which dish would you like?";
  };
};

test.each(wrong)(
  "native client tool, %s: the client gets no call, and the model answers to the fault",
  async (_, args) => {
    const tool = {
      name: "order_dish",
      description: "Orders.",
      parameters,
      client: true,
      timeout_seconds: 5,
      cancel_on_interrupt: false,
    };
    const call = scriptedCall({ voice: { tools: [tool] as never }, generate: model(args) });
    call.session.configure({ runsTools: true });
    await call.stream(LOUD, 1_000);
    await call.stream(0, 2_500);
    expect.soft(call.all("tool_call").map((data) => data["arguments"])).toEqual([]);
    expect.soft(JSON.stringify(call.prompts.at(-1)?.messages)).toContain("arguments are wrong");
  },
);

test.each(wrong)("realtime function, %s: no call with these arguments", async (_, args) => {
  const { update, speak, stream, all } = scriptedRealtime({ generate: model(args) });
  update({ tools: [{ type: "function", name: "order_dish", description: "Orders.", parameters }] });
  await speak(600);
  await stream(0, 3_000);
  const calls = all("response.function_call_arguments.done").map(
    (event) => (event as unknown as { arguments: string }).arguments,
  );
  expect(calls).toEqual([]);
  expect(all("response.output_audio_transcript.done").at(-1)?.transcript).toBe("Which dish would you like?");
});

test("a model that repeats a wrong call is stopped, and the client never sees it", async () => {
  let asked = 0;
  const { update, speak, stream, all } = scriptedRealtime({
    generate: async function* generate({ toolChoice }): AsyncGenerator<string | ToolCall> {
      asked += 1;
      if (toolChoice === "none") yield "I cannot order that.";
      else yield { id: `call_${String(asked)}`, name: "order_dish", arguments: "{}" };
    },
  });
  update({ tools: [{ type: "function", name: "order_dish", description: "Orders.", parameters }] });
  await speak(600);
  await stream(0, 5_000);
  expect(all("response.function_call_arguments.done")).toEqual([]);
  expect(all("response.output_audio_transcript.done").map(({ transcript }) => transcript)).toEqual([
    "I cannot order that.",
  ]);
});

test.each([
  ["outside the conversation", { conversation: "none" }],
  ["with functions of its own", {}],
])("wrong arguments in a response %s fail it", async (_, more) => {
  const { update, send, settle, all } = scriptedRealtime({ generate: model('{"dish":5}') });
  update({});
  const tools = [{ type: "function", name: "order_dish", description: "Orders.", parameters }];
  send("response.create", { response: { tools, tool_choice: "required", ...more } });
  await settle();
  expect(all("response.function_call_arguments.done")).toEqual([]);
  expect(all("response.done").map(({ response }) => response.status)).toEqual(["failed"]);
});

test("right arguments reach the client as they are", async () => {
  const { update, speak, all } = scriptedRealtime({ generate: model('{"dish":"soup"}') });
  update({ tools: [{ type: "function", name: "order_dish", description: "Orders.", parameters }] });
  await speak(600);
  expect(all("response.function_call_arguments.done")).toHaveLength(1);
});
