import { ToolRunner } from "../../src/conversation/tool-calls/tool-runner.ts";
import type { Tool, ToolRun } from "../../src/conversation/tool-calls/tool.ts";
import type { Clock } from "../../src/shared/clock.ts";
import { silentLog } from "../../src/shared/log.ts";
import type { Tasks } from "../../src/shared/tasks.ts";

/** For parts that need a runner in calls without tools. */
export const runnerWithoutTools = (clock: Clock, tasks: Tasks): ToolRunner =>
  new ToolRunner({
    clock,
    tasks,
    connectionId: "c",
    log: silentLog,
    limits: { per_turn: 1, per_minute: 1 },
    signal: new AbortController().signal,
    events: { started: () => undefined, refused: () => undefined, ended: () => undefined },
  });

/** A tool whose calls end when the test says so. */
export function manualTool(
  name: string,
  options: Partial<Pick<Tool, "cancelOnInterrupt" | "confirm" | "filler" | "mayRepeat">> = {},
) {
  const runs: (ToolRun & { readonly args: unknown; done(result: string): void; fail(error: Error): void })[] = [];
  const tool: Tool = {
    definition: { name, description: "", parameters: { type: "object" } },
    cancelOnInterrupt: false,
    ...options,
    run: (args, run) =>
      new Promise((done, fail) => {
        runs.push({ ...run, args, done, fail });
      }),
  };
  return { tool, runs };
}
