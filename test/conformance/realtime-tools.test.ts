import { RealtimeAgent, RealtimeSession, tool } from "@openai/agents-realtime";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { Session } from "../../src/conversation/session/session.ts";
import type { GenerateRequest } from "../../src/engines/llm/language-model.ts";
import { systemClock } from "../../src/shared/clock.ts";
import { silentLog } from "../../src/shared/log.ts";
import { startWireServer } from "../server/support.ts";
import { fakeEngines } from "../support/fake-engines.ts";
import { RealtimeCaller } from "../support/realtime-caller.ts";

/** A scripted model, because the starter model calls no functions by itself. */
async function* callsOnce({ messages }: GenerateRequest) {
  const last = messages.at(-1);
  if (last?.role === "call") yield `It is ${last.content} degrees.`;
  else yield* ["One moment. ", { id: "call_1", name: "weather", arguments: '{"city":"Bonn"}' }];
}

async function start() {
  const { engines, prompts } = fakeEngines({ generate: callsOnce });
  const wire = await startWireServer({
    openSession: (request) => new Session(request, engines, systemClock, silentLog, {}),
  });
  return { url: `${wire.server.url}/v1/realtime`, key: wire.key, prompts };
}

test("the Agents SDK carries out a function call, and the reply uses its result", async () => {
  const { url, key, prompts } = await start();
  const asked: string[] = [];
  const weather = tool({
    name: "weather",
    description: "The temperature in a city.",
    parameters: z.object({ city: z.string() }),
    execute: ({ city }) => {
      asked.push(city);
      return "21";
    },
  });
  const agent = new RealtimeAgent({ name: "test", instructions: "Be brief.", tools: [weather] });
  const session = new RealtimeSession(agent, { transport: "websocket" });
  onTestFinished(() => session.close());
  const said = new Promise<string>((resolve) => {
    let text = "";
    session.transport.on("*", (event: { type: string; delta?: string }) => {
      if (event.type === "response.output_audio_transcript.delta") text += event.delta ?? "";
      if (text.includes("degrees")) resolve(text);
    });
  });
  await session.connect({ apiKey: key, url });
  session.sendMessage("How warm is it in Bonn?");
  expect(await said).toBe("One moment. It is 21 degrees.");
  expect(asked).toEqual(["Bonn"]);
  expect(prompts[0]).toMatchObject({ tools: [{ name: "weather" }], toolChoice: "auto" });
});

test("a call follows the words before it, in the order that clients rely on", async () => {
  const { url, key } = await start();
  const caller = new RealtimeCaller(url, key);
  await caller.next("session.created");
  const tools = [{ type: "function", name: "weather", parameters: { type: "object" } }];
  caller.send("session.update", { session: { type: "realtime", tools, output_modalities: ["text"] } });
  const from = caller.events.length;
  const content = [{ type: "input_text", text: "How warm is it in Bonn?" }];
  caller.send("conversation.item.create", { item: { type: "message", role: "user", content } });
  caller.send("response.create");
  const done = await caller.next("response.done");
  const order = caller.types(from);
  expect(order.slice(order.indexOf("response.output_text.done"))).toEqual([
    "response.output_text.done",
    "response.content_part.done",
    "response.output_item.done",
    "conversation.item.done",
    "response.output_item.added",
    "conversation.item.added",
    "response.function_call_arguments.delta",
    "response.function_call_arguments.done",
    "response.output_item.done",
    "conversation.item.done",
    "response.done",
  ]);
  const [, call] = done.response.output;
  expect(call).toMatchObject({ type: "function_call", name: "weather", arguments: '{"city":"Bonn"}' });
  const call_id = call?.type === "function_call" ? call.call_id : "";
  caller.send("conversation.item.create", { item: { type: "function_call_output", call_id, output: "21" } });
  caller.send("response.create");
  await caller.next("response.done");
  expect(caller.all("response.output_text.done").at(-1)?.text).toBe("It is 21 degrees.");
  caller.check();
});
