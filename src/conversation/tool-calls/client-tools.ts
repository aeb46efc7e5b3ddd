import type { VoiceConfiguration } from "../../config/voice-configuration.ts";
import type { Clock } from "../../shared/clock.ts";
import { OakError } from "../../shared/errors.ts";
import type { ToolCall, ToolDefinition } from "../../engines/llm/language-model.ts";
import { checkArguments } from "../../shared/json-schema/check-arguments.ts";
import type { Tool, ToolRun } from "./tool.ts";

/** A tool that the client carries out. */
export interface ClientTool {
  readonly definition: ToolDefinition;
  readonly timeoutMs: number;
  readonly cancelOnInterrupt: boolean;
  readonly confirm?: Tool["confirm"];
}

/** The tools of a configuration that the client carries out. */
export const clientToolsOf = ({ tools }: VoiceConfiguration): readonly ClientTool[] =>
  tools.flatMap((tool) => {
    if (!("client" in tool)) return [];
    const { name, description, parameters, timeout_seconds, confirm, cancel_on_interrupt: cancelOnInterrupt } = tool;
    const definition = { name, description, parameters };
    return [{ definition, timeoutMs: timeout_seconds * 1000, cancelOnInterrupt, confirm }];
  });

interface Waiting {
  readonly call: ToolCall;
  /** Starts the time limit again. */
  restart(): void;
  stop(): void;
  resolve(output: string): void;
  reject(error: OakError): void;
}

/** Asks the client to carry out calls, and waits for its results. */
export class ClientTools {
  readonly tools: readonly Tool[];
  readonly #clock: Clock;
  readonly #ask: (call: ToolCall) => void;
  readonly #waiting = new Map<string, Waiting>();

  constructor(tools: readonly ClientTool[], clock: Clock, ask: (call: ToolCall) => void) {
    this.#clock = clock;
    this.#ask = ask;
    this.tools = tools.map((tool) => ({ ...tool, run: (args, run) => this.#run(tool, args, run) }));
  }

  has(name: string): boolean {
    return this.tools.some(({ definition }) => definition.name === name);
  }

  /** The client's result. False when no call with this id waits. */
  give(callId: string, output: string, isError: boolean): boolean {
    const waiting = this.#waiting.get(callId);
    if (waiting === undefined) return false;
    this.#waiting.delete(callId);
    if (isError) waiting.reject(new OakError(output, { code: "TOOL_FAILED" }));
    else waiting.resolve(output);
    return true;
  }

  /** The client is gone. Its calls wait. */
  pause(): void {
    for (const waiting of this.#waiting.values()) waiting.stop();
  }

  /** A client is there again, and is asked once more. It may have carried the calls out before. */
  resume(): void {
    for (const waiting of this.#waiting.values()) {
      waiting.restart();
      this.#ask(waiting.call);
    }
  }

  async #run(
    { definition: { name, parameters }, timeoutMs }: ClientTool,
    args: Readonly<Record<string, unknown>>,
    { callId, signal }: ToolRun,
  ): Promise<string> {
    checkArguments(parameters, args);
    let cancelLimit = () => {};
    try {
      return await new Promise<string>((resolve, reject) => {
        const call: ToolCall = { id: callId, name, arguments: JSON.stringify(args) };
        const restart = () => {
          cancelLimit();
          cancelLimit = this.#clock.after(timeoutMs, () =>
            reject(new OakError("the caller's app did not answer in time.", { code: "TOOL_TIMEOUT" })),
          );
        };
        this.#waiting.set(callId, { call, resolve, reject, restart, stop: () => cancelLimit() });
        signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
        restart();
        this.#ask(call);
      });
    } finally {
      cancelLimit();
      this.#waiting.delete(callId);
    }
  }
}
