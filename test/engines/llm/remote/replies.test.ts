import { describe, expect, it } from "vitest";
import * as chat from "../../../support/chat-events.ts";
import { ask, never, request, serving } from "../../../support/remote-model.ts";
import { VirtualClock } from "../../../support/virtual-clock.ts";

const more = (index: number, args: string) => chat.event({ tool_calls: [{ index, function: { arguments: args } }] });
const begin = (index: number | undefined, name: string, args = "", id = `id${String(index)}`) =>
  chat.event({ tool_calls: [{ index, id, type: "function", function: { name, arguments: args } }] });
const finish = chat.event({}, "tool_calls");
const call = (args: object) => ({
  id: expect.stringMatching(/^call_\w{20}$/u) as string,
  name: "set_lights",
  arguments: JSON.stringify(args),
});
const hall = '{"room":"hall"}';

describe("calls", () => {
  it.each<[string, string[], unknown[]]>([
    ["in one piece", [begin(0, "set_lights", hall), finish], [call({ room: "hall" })]],
    [
      "in fragments",
      [begin(0, "set_lights"), more(0, '{"ro'), more(0, 'om":"h'), more(0, 'all"}'), finish],
      [call({ room: "hall" })],
    ],
    [
      "one after another",
      [begin(0, "set_lights", '{"room":'), more(0, '"a"}'), begin(1, "set_lights", '{"room":"b"}'), finish],
      [call({ room: "a" }), call({ room: "b" })],
    ],
    [
      "with the same index",
      [begin(0, "set_lights", '{"room":"a"}', "x"), begin(0, "set_lights", '{"room":"b"}', "y"), finish],
      [call({ room: "a" }), call({ room: "b" })],
    ],
    [
      "whose pieces each have an id of their own",
      [
        begin(0, "set_lights", "", "x"),
        ...['{"room":', '"hall"}'].map((args, at) =>
          chat.event({ tool_calls: [{ index: 0, id: `x${String(at)}`, function: { arguments: args } }] }),
        ),
        finish,
      ],
      [call({ room: "hall" })],
    ],
    ["without an index", [chat.text("Yes."), begin(undefined, "set_lights", "{}"), finish], ["Yes.", call({})]],
    ["without arguments", [begin(0, "set_lights"), finish], [call({})]],
    ["before text, which is dropped", [begin(0, "set_lights", "{}"), chat.text("It is on."), finish], [call({})]],
    ["that are the same", [begin(0, "set_lights", "{}"), begin(1, "set_lights", "{}"), finish], [call({})]],
    [
      "as text",
      [
        ...["Yes. <tool_", 'call>{"name": "set_li', 'ghts", "arguments": {"room": "hall"}}</tool_call>'].map(chat.text),
        chat.stop,
      ],
      ["Yes. ", call({ room: "hall" })],
    ],
  ])("%s", async (_, events, pieces) => {
    const { model } = await serving([chat.stream(...events, chat.done)]);
    expect(await ask(model)).toEqual(pieces);
  });

  it("are dropped when none was allowed", async () => {
    const { model } = await serving([chat.stream(chat.text("Yes."), begin(0, "set_lights", hall), finish)]);
    expect(await ask(model, { toolChoice: "none" })).toEqual(["Yes."]);
  });

  it.each([
    ["cut", [begin(0, "set_lights", '{"room":'), chat.event({}, "length")], "LLM_CALL_INCOMPLETE"],
    ["no JSON", [begin(0, "set_lights", "room: hall"), finish], "LLM_CALL_INCOMPLETE"],
    ["of an unknown tool", [begin(0, "format_disk", "{}"), finish], "LLM_CALL_UNKNOWN"],
    [
      "of an unknown tool, as text",
      [chat.text('{"name": "format_disk", "arguments": {}}'), chat.stop],
      "LLM_CALL_UNKNOWN",
    ],
    ["other JSON, as text", [chat.text('{"answer": "Yes."}'), chat.stop], "LLM_CALL_UNREADABLE"],
  ])("that are %s are an error", async (_, events, code) => {
    const { model } = await serving([chat.stream(...events, chat.done)]);
    await expect(ask(model)).rejects.toMatchObject({ code });
  });
});

describe("text", () => {
  const x = Array.from({ length: 90 }, () => "x ");

  it.each<[string, string[], string[]]>([
    ["without a finish reason", [chat.text("Yes.")], ["Yes."]],
    [
      "without thoughts",
      [chat.event({ reasoning_content: "Hm." }), ...["<th", "ink>No.</thi", "nk>Yes."].map(chat.text), chat.stop],
      ["Yes."],
    ],
    ["with a less-than sign", [...["a ", "<", " b"].map(chat.text), chat.stop], ["a ", "< b"]],
    ["that ends like the beginning of a call", [chat.text("Yes <tool"), chat.stop], ["Yes "]],
    ["that ends with a less-than sign", [chat.text("Yes <"), chat.stop], ["Yes ", "<"]],
    [
      "that names a tool",
      [...["Use set", "_lights (soon)."].map(chat.text), chat.stop],
      ["Use ", "set_lights (soon)."],
    ],
    ["that is longer than it should be", x.map(chat.text), x.slice(0, request.maxTokens)],
  ])("%s", async (_, events, pieces) => {
    const { model } = await serving([chat.stream(...events, chat.done)]);
    expect(await ask(model)).toEqual(pieces);
  });

  it("is whole, however the bytes are divided", async () => {
    const events = `: ping\n\n${chat.text("Grüße, ")}${chat.text("世界.")}${chat.stop}${chat.done}`;
    const { model } = await serving([
      (response) => {
        response.writeHead(200, chat.EVENT_STREAM);
        for (const byte of Buffer.from(events.replaceAll("\n", "\r\n"))) response.write(Buffer.of(byte));
        response.end();
      },
    ]);
    expect(await ask(model)).toEqual(["Grüße, ", "世界."]);
  });

  it("ends although the count of tokens does not come", async () => {
    const clock = new VirtualClock();
    const { model } = await serving([chat.endless(chat.text("Yes."), chat.stop)], { clock });
    const pieces = model.open().generate(request, never)[Symbol.asyncIterator]();
    expect(await pieces.next()).toEqual({ done: false, value: "Yes." });
    const timers = clock.pendingTimers;
    const end = pieces.next();
    while (clock.pendingTimers === timers) await new Promise(setImmediate);
    clock.advance(200);
    expect(await end).toMatchObject({ done: true });
  });
});
