import fc from "fast-check";
import { expect, test } from "vitest";
import type { CallControl, Tool } from "../../src/conversation/tool-calls/tool.ts";
import type { ToolCall } from "../../src/engines/llm/language-model.ts";
import { LOUD, scriptedCall } from "../support/scripted-call.ts";

const FILLER = "One moment.";
const TOOLS = ["book", "search", "light", "end_call"] as const;
type ToolName = (typeof TOOLS)[number] | "show_map";
const CLIENT_TOOL = {
  name: "show_map",
  description: "",
  parameters: { type: "object" },
  client: true,
  timeout_seconds: 10,
  cancel_on_interrupt: false,
} as const;

/** A reply of the model: text, calls, or both. */
const replies = fc.array(
  fc.array(
    fc.oneof(
      { weight: 2, arbitrary: fc.constant("Let me see. ") },
      {
        weight: 3,
        arbitrary: fc.record({
          name: fc.constantFrom<ToolName>("book", "search", "light", "show_map"),
          number: fc.nat(2),
        }),
      },
      { weight: 1, arbitrary: fc.constant({ name: "end_call", number: 0 } as const) },
    ),
    { minLength: 1, maxLength: 3 },
  ),
  { maxLength: 8 },
);
const ms = fc.integer({ min: 1, max: 18 }).map((tenths) => tenths * 100);
const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constantFrom("words" as const, "noise" as const), ms }) },
    { weight: 6, arbitrary: fc.record({ do: fc.constant("silence" as const), ms }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constantFrom("succeed" as const, "fail" as const), which: fc.nat(3) }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constantFrom("next" as const, "now" as const, "timer" as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("respond" as const) }) },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant("turns" as const),
        interruptible: fc.boolean(),
        answers: fc.boolean(),
        endedBy: fc.constantFrom("voice" as const, "client" as const),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("commit" as const, "clear" as const) }) },
  ),
  { minLength: 4, maxLength: 20 },
);

/** A call whose tools end when the scene says so. */
function scene(script: readonly (readonly (string | { readonly name: ToolName; readonly number: number })[])[]) {
  const left = [...script];
  const open: { readonly id: string; done(text: string): unknown; fail(error: Error): unknown }[] = [];
  const ran: string[] = [];
  /** Results in each prompt, with the number of messages that were sent before. */
  const asked: { readonly at: number; readonly results: readonly string[] }[] = [];
  let calls = 0;
  let isNoise = false;
  let control: CallControl | undefined;
  const tool = (name: ToolName): Tool => ({
    definition: { name, description: "", parameters: { type: "object" } },
    cancelOnInterrupt: name === "search",
    filler: FILLER,
    run: async (_, { callId: id, signal }) => {
      ran.push(id);
      if (name === "end_call")
        return (control?.end({ transferTo: undefined, reason: "", summary: "" }), `result ${id}`);
      if (name === "light") return `result ${id}`;
      return await new Promise((done, fail) => {
        const entry = { id, done, fail };
        open.push(entry);
        signal.addEventListener(
          "abort",
          () => void open.splice(0, open.length, ...open.filter((other) => other !== entry)),
          {
            once: true,
          },
        );
      });
    },
  });
  const conversation = scriptedCall({
    openTools: (own) => ((control = own), TOOLS.map(tool)),
    transcribe: async () => (isNoise ? "" : "hello there my friend"),
    speculation: { started: 0, kept: 0, dropped: 0, wastedMs: 0 },
    voice: { tool_limits: { per_turn: 3, per_minute: 30 }, tools: [CLIENT_TOOL] },
    onSend: (type, data) => {
      if (type === "tool_call" && data["run_by"] === "client") {
        const id = data["call_id"] as string;
        ran.push(id);
        const give = (text: string, isError: boolean) => conversation.session.giveToolResult(id, text, isError);
        open.push({ id, done: (text) => give(text, false) && give(text, false), fail: () => give("no", true) });
      }
      // Doors close the connection.
      if (type === "call_end") void Promise.resolve().then(() => conversation.session.close());
    },
    generate: async function* generate({ messages, toolChoice }) {
      const results = messages.flatMap((message) => (message.role === "call" ? [message.content] : []));
      asked.push({ at: conversation.sent.length, results });
      for (const part of left.shift() ?? ["Well. "]) {
        if (typeof part === "string" || toolChoice === "none") yield "Let me see. ";
        else
          yield {
            id: String((calls += 1)),
            name: part.name,
            arguments: JSON.stringify({ number: part.number }),
          } satisfies ToolCall;
      }
    },
  });
  conversation.session.configure({ runsTools: true });
  const end = (which: number, how: "succeed" | "fail") => {
    const [entry] = open.splice(which % Math.max(1, open.length), 1);
    if (how === "succeed") entry?.done(`result ${entry.id}`);
    else entry?.fail(new Error("no"));
  };
  const listen = (noise: boolean) => (isNoise = noise);
  return { ...conversation, control: () => control, end, listen, open, ran, asked };
}

test("property: in any order no call runs twice, no result, request or text is lost, and nothing follows the end", async () => {
  const property = fc.asyncProperty(replies, steps, async (script, list) => {
    const call = scene(script);
    const { sent, session, stream, all } = call;
    const texts: string[] = [];
    const requests: number[] = [];
    const respond = () => {
      const request = session.respond();
      if (request !== undefined) requests.push(request);
    };
    for (const step of list) {
      switch (step.do) {
        case "words":
        case "noise":
          call.listen(step.do === "noise");
          await stream(LOUD, step.ms);
          break;
        case "silence":
          await stream(0, step.ms);
          break;
        case "succeed":
        case "fail":
          call.end(step.which, step.do);
          break;
        case "next":
        case "now":
        case "timer": {
          const text = `Text ${String(texts.length + 1)} ${step.do}.`;
          const isTaken = step.do === "timer" ? call.control()?.say(text) : session.say(text, step.do);
          if (isTaken === true) texts.push(text);
          break;
        }
        case "respond":
          respond();
          break;
        case "turns":
          session.configure({ turnDetection: step });
          break;
        case "commit":
          session.endTurn();
          respond();
          break;
        case "clear":
          session.dropTurn();
      }
    }
    // A voice stays a turn until a client that ends its turns itself ends it.
    session.endTurn();
    session.configure({ turnDetection: { interruptible: true, answers: true, endedBy: "voice" } });
    for (let rounds = 0; rounds < 6; rounds += 1) {
      while (call.open.length > 0) call.end(0, "succeed");
      await stream(0, 6_000, 200);
    }

    const endedAt = sent.findIndex(({ type }) => type === "call_end");
    const spokenAt = sent.findLastIndex(({ type }) => type === "tts_chunk");
    if (endedAt >= 0) expect(spokenAt).toBeLessThan(endedAt);
    expect(all("call_end").length).toBeLessThanOrEqual(1);

    expect(new Set(call.ran).size).toBe(call.ran.length);
    const ends = sent.flatMap(({ type, data }, at) => (type === "tool_call_end" ? [{ at, data }] : []));
    const ended = new Set(ends.map(({ data }) => data["call_id"]));
    expect(ended.size).toBe(ends.length);
    if (endedAt < 0) {
      expect([...ended]).toEqual(expect.arrayContaining(all("tool_call").map(({ call_id }) => call_id)));
      expect(call.asked.at(-1)?.results ?? []).not.toContain("(still running)");
    }
    for (const { at, data } of ends)
      if (data["outcome"] === "done") {
        const own = call.ran.includes(data["call_id"] as string) ? `result ${data["call_id"] as string}` : "result";
        expect(
          call.asked.some((prompt) => prompt.at >= at && prompt.results.some((text) => text.startsWith(own))),
        ).toBe(true);
      }

    const turns = all("turn_end").length;
    expect(all("llm_response_chunk").filter(({ content }) => content === FILLER).length).toBeLessThanOrEqual(turns + 1);

    const audible = sent.flatMap(({ type, data }, at) => {
      if (type !== "llm_response_chunk" || !texts.includes(data["content"] as string)) return [];
      const next = sent.findIndex(
        ({ type: other, data: chunk }, index) =>
          index > at && other === "llm_response_chunk" && chunk["content"] !== "",
      );
      const isHeard = sent.slice(at, next < 0 ? undefined : next).some((message) => message.type === "tts_chunk");
      return isHeard ? [data["content"] as string] : [];
    });
    if (endedAt < 0) expect([...new Set(audible)].toSorted()).toEqual(texts.toSorted());
    if (all("tts_interruption").length === 0) expect(audible).toEqual([...new Set(audible)]);
    const waiting = [...new Set(audible)].filter((text) => !text.includes("now"));
    expect(waiting).toEqual(texts.filter((text) => waiting.includes(text)));

    if (endedAt < 0) expect(call.endedRequests).toEqual(expect.arrayContaining(requests));
    expect(new Set(call.endedRequests).size).toBe(call.endedRequests.length);

    await session.close();
    expect(call.clock.pendingTimers).toBe(0);
    expect(call.faults).toEqual([]);
  });
  await fc.assert(property, { numRuns: Number(process.env["RUNS"] ?? 25) });
});
