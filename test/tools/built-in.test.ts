import { expect, test } from "vitest";
import { BUILT_IN_FUNCTIONS } from "../../src/config/tool-configuration.ts";
import { embeddedDefault } from "../../src/config/voice-configuration.ts";
import type { CallControl, KeptTimers, Tool } from "../../src/conversation/tool-calls/tool.ts";
import type { CallEnding } from "../../src/conversation/events.ts";
import { languageOf } from "../../src/language/packs/languages.ts";
import { demoHouseTools } from "../../src/tools/builtin/demo-house.ts";
import { endCallTool, transferTool } from "../../src/tools/builtin/end-call.ts";
import { stopRecordingTool } from "../../src/tools/builtin/stop-recording.ts";
import { TimerBook } from "../../src/tools/builtin/timer-book.ts";
import { timerTools } from "../../src/tools/builtin/timers.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

function control(language = "en") {
  const said: string[] = [];
  const shown: unknown[] = [];
  const endings: CallEnding[] = [];
  const kept: { timers?: KeptTimers } = {};
  const call: CallControl = {
    voice: embeddedDefault,
    language: () => languageOf(language),
    signal: new AbortController().signal,
    onReady: (callback) => callback("ann"),
    show: ({ state }) => shown.push(structuredClone(state)),
    keepState: () => undefined,
    keepTimers: (list) => (kept.timers = list),
    say: (text) => said.push(text) > 0,
    stopRecording: () => false,
    end: (ending) => endings.push(ending),
  };
  return { call, said, shown, endings, kept };
}

const run = async (tools: readonly Tool[], name: string, args: Record<string, unknown> = {}): Promise<unknown> => {
  const tool = tools.find(({ definition }) => definition.name === name);
  const signal = new AbortController().signal;
  return JSON.parse((await tool?.run(args, { callId: "1", connectionId: "c", signal })) ?? "null");
};

function timers(language?: string) {
  const clock = new VirtualClock();
  const { call, said, kept } = control(language);
  return { clock, said, kept, tools: timerTools(call, new TimerBook(clock)) };
}

test("a timer is set, listed, and rings in the caller's language", async () => {
  const { clock, said, kept, tools } = timers("de");
  expect(await run(tools, "set_timer", { minutes: 12, label: "Nudeln" })).toEqual({
    timer: "Nudeln",
    rings_in: "12 minutes",
  });
  expect(await run(tools, "list_timers")).toEqual([{ timer: "Nudeln", rings_in: "12 minutes" }]);
  const list = kept.timers?.list() ?? [];
  expect(list).toEqual([{ id: expect.any(String) as string, kind: "timer", label: "Nudeln", at: "", leftMs: 720_000 }]);
  kept.timers?.clear();
  expect(await run(tools, "list_timers")).toEqual([]);
  kept.timers?.restore(list);
  kept.timers?.restore(list);
  clock.advance(12 * 60_000 + 1_000);
  expect(said).toEqual(["Ihr Timer ist abgelaufen: Nudeln."]);
});

test("timers of another box beyond the limit are left out", async () => {
  const { kept, tools } = timers();
  for (let count = 0; count < 19; count += 1) await run(tools, "set_timer", { minutes: 60 });
  const others = [2, 1].map((minutes) => {
    const label = `after ${String(minutes)}`;
    return { id: label, kind: "timer", label, at: "", leftMs: minutes * 60_000 } as const;
  });
  kept.timers?.restore(others);
  expect(kept.timers?.list().map(({ id }) => id)).toContain("after 1");
  expect(kept.timers?.list()).toHaveLength(20);
});

test("a reminder is set for a time of day", async () => {
  const { tools } = timers();
  const set = await run(tools, "set_reminder", { day: "tomorrow", time: "09:30", text: "water the plants" });
  expect(set).toMatchObject({ reminder: "water the plants", rings_at: expect.stringContaining("9:30 AM") as unknown });
});

test("a timer is cancelled by its label or a part of it", async () => {
  const { clock, said, tools } = timers();
  await run(tools, "set_timer", { minutes: 1, label: "green tea" });
  await run(tools, "set_timer", { minutes: 1, label: "eggs" });
  expect(await run(tools, "cancel_timer", { label: "Tea" })).toEqual({ cancelled: ["green tea"] });
  clock.advance(120_000);
  expect(said).toEqual(["Your timer is done: eggs."]);
});

test.each([
  ["set_timer", {}],
  ["set_timer", { hours: 25 }],
  ["set_timer", { minutes: -1 }],
  ["set_timer", { minutes: "five" }],
  ["set_reminder", { time: "25:00", text: "x" }],
  ["set_reminder", { day: "someday", time: "10:00", text: "x" }],
  ["cancel_timer", { label: "nothing" }],
])("%s refuses %j and says why", async (name, args) => {
  const { tools } = timers();
  await expect(run(tools, name, args)).rejects.toMatchObject({ code: "TOOL_REFUSED" });
});

test("the demonstration house keeps its state and shows each change", async () => {
  const { call, shown } = control();
  const tools = demoHouseTools(call);
  expect(await run(tools, "set_light", { room: "kitchen", on: true, brightness: 40 })).toEqual({
    kitchen: { light: true, brightness: 40, degrees: 20 },
  });
  await run(tools, "set_temperature", { room: "study", degrees: 22 });
  expect(await run(tools, "get_house")).toMatchObject({ kitchen: { light: true }, study: { degrees: 22 } });
  expect(shown).toHaveLength(2);
  await expect(run(tools, "set_light", { room: "garage", on: true })).rejects.toMatchObject({ code: "TOOL_REFUSED" });
});

test("the configuration knows the functions of each built-in tool", () => {
  const { call } = control();
  const tools = {
    timers: timerTools(call, new TimerBook(new VirtualClock())),
    end_call: [endCallTool(call)],
    stop_recording: [stopRecordingTool(call)],
    demo_house: demoHouseTools(call),
    transfer: [transferTool(call, { reception: "the front desk" })],
  };
  const names = Object.entries(tools).map(([name, all]) => [name, all.map(({ definition }) => definition.name)]);
  expect(Object.fromEntries(names)).toEqual(BUILT_IN_FUNCTIONS);
});

test("two callers have two houses", async () => {
  const [one, other] = [demoHouseTools(control().call), demoHouseTools(control().call)];
  await run(one, "set_light", { room: "kitchen", on: true });
  expect(await run(other, "get_house")).toMatchObject({ kitchen: { light: false } });
});

test("a call is ended, or transferred to a target of the configuration", async () => {
  const { call, endings } = control();
  const tools = [endCallTool(call), transferTool(call, { reception: "the front desk" })];
  await run(tools, "end_call", { reason: "said goodbye" });
  await run(tools, "transfer", { target: "reception", reason: "wants a person", summary: "lost key, room 12" });
  expect(endings).toEqual([
    { transferTo: undefined, reason: "said goodbye", summary: "" },
    { transferTo: "reception", reason: "wants a person", summary: "lost key, room 12" },
  ]);
  const elsewhere = { target: "pentagon", reason: "", summary: "" };
  await expect(run(tools, "transfer", elsewhere)).rejects.toMatchObject({ code: "TOOL_REFUSED" });
});
