import { ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { TracerProvider, InMemorySpanExporter, SimpleSpanProcessor, type ReadableSpan } from "@opentelemetry/sdk-trace";
import { describe, expect, test } from "vitest";
import { embeddedDefault } from "../../src/config/voice-configuration.ts";
import { Session } from "../../src/conversation/session/session.ts";
import type { ToolCall } from "../../src/engines/llm/language-model.ts";
import { Metrics } from "../../src/metrics/metrics.ts";
import { timedEngines } from "../../src/metrics/timed-engines.ts";
import { watchSession } from "../../src/metrics/watch-session.ts";
import { silentLog } from "../../src/shared/log.ts";
import { CallTrace } from "../../src/tracing/call-trace.ts";
import { measuredMetrics } from "../../src/metrics/measured-metrics.ts";
import { fakeEngines, type EngineScript } from "../support/fake-engines.ts";
import { settle } from "../support/recorded-call.ts";
import { LOUD, tone } from "../support/scripted-call.ts";
import { manualTool } from "../support/tools.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const CLIENT = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331", traceFlags: 1 };
const ms = ([seconds, nanos]: readonly [number, number]) => seconds * 1000 + nanos / 1e6;
const lengthOf = ({ startTime, endTime }: ReadableSpan) => ms(endTime) - ms(startTime);

function tracedCall(
  script: EngineScript & { readonly content?: boolean; readonly tool?: ReturnType<typeof manualTool>["tool"] },
) {
  const clock = new VirtualClock();
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  const call = new CallTrace({
    tracer: provider.getTracer("test"),
    parent: trace.setSpanContext(ROOT_CONTEXT, CLIENT),
    connectionId: "c1",
    attributes: {},
    // OpenTelemetry takes small numbers for times since the start of the process.
    nowMs: () => 1_800_000_000_000 + clock.nowMs(),
    stages: { llm_reply: { "gen_ai.request.model": "oak-1" } },
    words: script.content === true ? (text) => text.replaceAll("4111", "[card]") : undefined,
  });
  const own = new Metrics();
  const stages: [string, number][] = [];
  const metrics = measuredMetrics(own, (stage, seconds) => {
    stages.push([stage, seconds]);
    call.stage(stage, seconds);
  });
  const emit = watchSession({
    emit: (event) => call.take(event),
    connectionId: "c1",
    metrics,
    log: silentLog,
  });
  const { engines } = fakeEngines(script);
  const request = { connectionId: "c1", owner: "", voice: embeddedDefault, emit, onFault: (error: unknown) => { throw error; }, traceparent: () => call.traceparent }; // prettier-ignore
  const session = new Session(request, timedEngines(engines, metrics), clock, silentLog, {
    ended: () => call.ended(),
    openTools: () => (script.tool === undefined ? [] : [script.tool]),
  });
  session.configure({});
  const stream = async (level: number, forMs: number) => {
    for (let streamed = 0; streamed < forMs; streamed += 100) {
      session.pushAudio(tone(level, 100));
      await settle();
      clock.advance(100);
    }
    await settle();
  };
  return {
    session,
    stream,
    stages,
    own,
    /** Ends the call. */
    async spans() {
      await session.close();
      return exporter.getFinishedSpans();
    },
  };
}
/** Takes a while of virtual time, which the stream moves on. */
const named = (spans: readonly ReadableSpan[], name: string) => spans.filter((span) => span.name === name);
const only = (spans: readonly ReadableSpan[], name: string): ReadableSpan => {
  const [first, ...others] = named(spans, name);
  if (first === undefined || others.length > 0) throw new Error(`${String(others.length + 1)} spans named ${name}`);
  return first;
};

test("one trace a call, under the client's own, and one span a turn", async () => {
  const call = tracedCall({});
  for (let turn = 0; turn < 2; turn += 1) {
    await call.stream(LOUD, 1_000);
    await call.stream(0, 5_000);
  }
  const spans = await call.spans();
  expect(new Set(spans.map((span) => span.spanContext().traceId))).toEqual(new Set([CLIENT.traceId]));
  const root = only(spans, "call");
  expect(root.parentSpanContext?.spanId).toBe(CLIENT.spanId);
  expect(root.attributes).toMatchObject({ "oakvoice.connection.id": "c1", "gen_ai.conversation.id": "c1" });
  const turns = named(spans, "turn");
  expect(turns.map(({ attributes }) => attributes["oakvoice.turn.id"])).toEqual(["c1.1", "c1.2"]);
  expect(turns.every(({ parentSpanContext }) => parentSpanContext?.spanId === root.spanContext().spanId)).toBe(true);
  for (const span of spans) {
    const parent = spans.find((other) => other.spanContext().spanId === span.parentSpanContext?.spanId);
    // Engines take real time in this test, and the rest virtual time.
    if (parent === undefined || "oakvoice.stage" in span.attributes) continue;
    expect(ms(span.startTime)).toBeGreaterThanOrEqual(ms(parent.startTime) - 0.001);
    expect(ms(span.endTime)).toBeLessThanOrEqual(ms(parent.endTime) + 0.001);
  }
});

test("the parts of the answer's delay follow one another and explain all of it", async () => {
  const call = tracedCall({});
  await call.stream(LOUD, 1_000);
  await call.stream(0, 5_000);
  const spans = await call.spans();
  const turn = only(spans, "turn");
  const parts = ["end of turn", "final transcript", "language model", "first clause of speech"].map((name) =>
    only(spans, name),
  );
  for (const [index, part] of parts.entries()) {
    expect(part.parentSpanContext?.spanId).toBe(turn.spanContext().spanId);
    if (index > 0) expect(ms(part.startTime)).toBeCloseTo(ms(parts[index - 1]!.endTime), 3);
  }
  const sum = parts.reduce((total, part) => total + lengthOf(part), 0);
  const response = turn.attributes["oakvoice.turn.response_ms"] as number;
  expect(response).toBeGreaterThan(300);
  expect(Math.abs(sum - response)).toBeLessThan(response * 0.05);
  expect(ms(only(spans, "caller speech").endTime)).toBeCloseTo(ms(parts[0]!.startTime), 3);
  expect(lengthOf(only(spans, "playback"))).toBeGreaterThan(1_500);
});

test("stages of engines have the numbers that the metrics have", async () => {
  const call = tracedCall({});
  await call.stream(LOUD, 1_000);
  await call.stream(0, 5_000);
  const spans = await call.spans();
  const seconds = call.stages.filter(([stage]) => stage === "llm_reply").map(([, each]) => each);
  const chats = named(spans, "chat");
  expect(seconds).toHaveLength(1);
  expect(lengthOf(chats[0]!) / 1000).toBeCloseTo(seconds[0] ?? 0, 6);
  expect(chats[0]?.attributes).toMatchObject({ "gen_ai.operation.name": "chat", "gen_ai.request.model": "oak-1" });
  const text = await call.own.registry.metrics();
  expect(text).toContain('oakvoice_stage_seconds_count{stage="llm_reply"} 1');
  expect(named(spans, "stt_final")).toHaveLength(call.stages.filter(([stage]) => stage === "stt_final").length);
});

test("a tool has a span of its own, and its system gets the position in the trace", async () => {
  const { tool, runs } = manualTool("book_table");
  const booking: ToolCall = { id: "t1", name: "book_table", arguments: "{}" };
  const replies: (string | ToolCall)[][] = [["Let me see. ", booking], ["Done."]];
  let seen: string | undefined;
  const call = tracedCall({
    tool: { ...tool, run: (args, run) => ((seen = run.traceparent), tool.run(args, run)) },
    async *generate() {
      yield* replies.shift() ?? ["Well."];
    },
  });
  await call.stream(LOUD, 1_000);
  await call.stream(0, 2_000);
  runs[0]?.done("ok");
  await call.stream(0, 4_000);
  const spans = await call.spans();
  const span = only(spans, "execute_tool book_table");
  expect(span.attributes).toMatchObject({ "gen_ai.tool.name": "book_table", "gen_ai.tool.call.id": "t1" });
  expect(lengthOf(span)).toBeGreaterThan(500);
  expect(seen).toBe(`00-${CLIENT.traceId}-${only(spans, "turn").spanContext().spanId}-01`);
});

describe("words", () => {
  const run = async (content: boolean) => {
    const call = tracedCall({ content, transcribe: async () => "my number is 4111 okay" });
    await call.stream(LOUD, 1_000);
    await call.stream(0, 5_000);
    return JSON.stringify((await call.spans()).map(({ attributes, name, events }) => [name, attributes, events]));
  };
  test("are in no span", async () => {
    expect(await run(false)).not.toMatch(/my number|okay|One two|pii/u);
  });
  test("stand below one prefix and are redacted when the operator wants them", async () => {
    const all = await run(true);
    expect(all).toContain('"oakvoice.pii.caller":"my number is [card] okay"');
    expect(all).toContain('"oakvoice.pii.assistant":"One two three four five.');
  });
});
