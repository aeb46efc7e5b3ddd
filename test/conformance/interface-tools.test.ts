import { afterAll, beforeAll, expect, test } from "vitest";
import { TestBox } from "../support/box.ts";
import { RealtimeCaller } from "../support/realtime-caller.ts";
import { ToolServer } from "../support/tool-server.ts";

/** Real engines, a real web server. The tool choice forces the calls: the test does not depend on the starter model's judgement. */
let hotel: ToolServer;
let box: TestBox;
beforeAll(async () => {
  hotel = await ToolServer.start((response) => response.end('{"table": 4}'));
  process.env["TOOL_TEST_SECRET"] = "a secret of the test";
  const tools = `tools:
  - name: book_table
    description: Books a table.
    parameters: { type: object, properties: { guests: { enum: [2, 4, 6] } }, required: [guests] }
    webhook: { url: "${hotel.url}", secret_env: TOOL_TEST_SECRET }
  - { builtin: transfer, targets: { reception: A person. } }
`;
  const voice = `config_id: hotel\nsystem_prompt: You are a hotel's assistant.\n${tools}`;
  box = await TestBox.start({ hotel: voice }, `egress: { allowed_hosts: ["${hotel.host}"] }\n`);
});
afterAll(async () => {
  await box.close();
  await hotel.close();
});

const choose = (name: string) => ({ tool_choice: { type: "function", name } });

/** Text turns, so that no voice is needed. */
async function textCaller() {
  const { url, key } = box.realtime("hotel");
  const caller = new RealtimeCaller(url, key);
  const { id } = (await caller.next("session.created")).session;
  caller.send("session.update", { session: { type: "realtime", output_modalities: ["text"] } });
  await caller.next("session.updated");
  const content = [{ type: "input_text", text: "a table for two please" }];
  caller.send("conversation.item.create", { item: { type: "message", role: "user", content } });
  await caller.next("conversation.item.done");
  return { caller, id };
}

test("a webhook is called with arguments that fit its parameters, and the model answers by itself", async () => {
  const { caller } = await textCaller();
  caller.send("response.create", { response: choose("book_table") });
  const call = (await caller.next("response.done")).response;
  expect(call.status).toBe("completed");
  expect(call.output).toEqual([]);
  const answer = (await caller.next("response.done")).response;
  expect(answer.output).toHaveLength(1);
  const { type, data } = JSON.parse(hotel.requests[0]?.body ?? "{}") as Record<string, Record<string, unknown>>;
  expect(type).toBe("tool.call");
  expect(data).toMatchObject({ tool: "book_table", config_id: "hotel", arguments: { guests: expect.any(Number) } });
  expect(hotel.requests).toHaveLength(1);
});

test("a transfer ends the call after the assistant's words, and its target can be read", async () => {
  const { caller, id } = await textCaller();
  caller.send("response.create", { response: choose("transfer") });
  await caller.closed;
  const address = `${box.base.replace("ws", "http")}/v1/calls/${id}/ending?field=transfer_to`;
  const response = await fetch(address, { headers: { authorization: `Bearer ${box.key}` } });
  expect(await response.text()).toBe("reception");
});
