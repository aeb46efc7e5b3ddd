import type { ToolOutcome } from "../events.ts";
import type { Clock } from "../../shared/clock.ts";
import { AbortScope } from "../../shared/abort-scope.ts";
import { errorCode, errorMessage, OakError, stackFrames } from "../../shared/errors.ts";
import type { Log } from "../../shared/log.ts";
import type { Tasks } from "../../shared/tasks.ts";
import type { ToolCall, ToolDefinition } from "../../engines/llm/language-model.ts";
import type { Tool } from "./tool.ts";

/** Longest time of a call, whatever the tool's own limit is. */
const LONGEST_MS = 120_000;
const TOO_LONG = "the tool did not answer in time. The request may have been carried out.";
const MINUTE_MS = 60_000;

export interface ToolRunnerOptions {
  readonly connectionId: string;
  readonly traceparent?: (() => string | undefined) | undefined;
  readonly limits: { readonly per_turn: number; readonly per_minute: number };
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly tasks: Tasks;
  readonly log: Log;
  readonly events: {
    started(call: ToolCall): void;
    /** `result`: text for the model. It says so when the call did not complete. */
    ended(call: ToolCall, result: string, outcome: ToolOutcome, durationMs: number): void;
    /** A call that the service does not carry out. */
    refused(call: ToolCall, result: string): void;
  };
}

interface RunningCall {
  readonly call: ToolCall;
  readonly reply: number;
  /** Undefined: it was switched off while the reply was written. */
  readonly tool: Tool | undefined;
  readonly scope: AbortScope;
  readonly startMs: number;
}

/** Carries out the calls of one conversation. Each call ends with one result for the model. */
export class ToolRunner {
  readonly #options: ToolRunnerOptions;
  #tools: ReadonlyMap<string, Tool> = new Map();
  readonly #running = new Map<string, RunningCall>();
  /** Clock times of the last minute at which a tool was called. */
  #recentMs: readonly number[] = [];
  /** Calls since the caller's last turn. */
  #count = 0;
  /** Results of calls since the caller's last turn, and of earlier calls that still run. `order`: the place among all calls. */
  readonly #results = new Map<string, { readonly work: Promise<string>; readonly order: number }>();
  #carriedOut = 0;
  /** Replies that made calls whose results no later reply knows. */
  readonly #unanswered = new Set<number>();

  constructor(options: ToolRunnerOptions) {
    this.#options = options;
  }

  /** The tools that may be called from now on. */
  offer(tools: readonly Tool[]): void {
    this.#tools = new Map(tools.map((tool) => [tool.definition.name, tool]));
  }

  has(name: string): boolean {
    return this.#tools.has(name);
  }

  tool(name: string): Tool | undefined {
    return this.#tools.get(name);
  }

  get definitions(): readonly ToolDefinition[] {
    return [...this.#tools.values()].map(({ definition }) => definition);
  }

  get isBusy(): boolean {
    return this.#running.size > 0;
  }

  get running(): readonly ToolCall[] {
    return Array.from(this.#running.values(), ({ call }) => call);
  }

  /** Calls of one reply are answered together. Calls of other replies do not delay the answer. */
  get isAnswerDue(): boolean {
    const waiting = new Set(Array.from(this.#running.values(), ({ reply }) => reply));
    return this.#unanswered.size === 0 || [...this.#unanswered].some((reply) => !waiting.has(reply));
  }

  /** A reply begins that knows all results so far. */
  answered(): void {
    this.#unanswered.clear();
  }

  /** The filler of a running tool that has one of its own. */
  get filler(): string | undefined {
    return [...this.#running.values()].find(({ tool }) => tool?.filler !== undefined)?.tool?.filler;
  }

  /** False when no further call may be made before the caller's next turn. */
  get mayCall(): boolean {
    return this.#count < this.#options.limits.per_turn;
  }

  /** The caller has said something new. Running calls are cancelled if their tools allow it. */
  newTurn(): void {
    this.#count = 0;
    for (const running of this.#running.values()) if (running.tool?.cancelOnInterrupt === true) this.#cancel(running);
    const kept = new Set(Array.from(this.#running.values(), ({ call }) => keyOf(call)));
    for (const key of this.#results.keys()) if (!kept.has(key)) this.#results.delete(key);
  }

  /** Starts a call of a tool that was offered to the reply. */
  start(call: ToolCall, reply: number): void {
    const { clock, events, tasks, signal } = this.#options;
    const tool = this.#tools.get(call.name);
    // A call that repeats a running one ends with it, and both are answered together.
    const same = [...this.#running.values()].find((other) => keyOf(other.call) === keyOf(call));
    const running: RunningCall = {
      call,
      reply: same?.reply ?? reply,
      tool,
      scope: new AbortScope(signal),
      startMs: clock.nowMs(),
    };
    this.#running.set(call.id, running);
    this.#count += 1;
    events.started(call);
    tasks.own(this.#carryOut(running));
  }

  /** Refuses a call of a function that the client carries out by itself. The model reads the error, and answers. */
  refuse(call: ToolCall, reply: number, error: unknown): void {
    this.#count += 1;
    this.#unanswered.add(reply);
    this.#options.events.refused(call, failureOf(error)[0]);
  }

  async #carryOut(running: RunningCall): Promise<void> {
    const cancelLimit = this.#options.clock.after(LONGEST_MS, () =>
      running.scope.abort(new OakError(TOO_LONG, { code: "TOOL_TIMEOUT" })),
    );
    try {
      const { signal } = running.scope;
      this.#end(running, await Promise.race([this.#result(running), aborted(signal)]), "done");
    } catch (error) {
      this.#report(running, error);
      if (this.#options.signal.aborted) this.#cancel(running);
      else this.#end(running, ...failureOf(error));
    } finally {
      cancelLimit();
      running.scope[Symbol.dispose]();
    }
  }

  /** The model learns at once that the call is cancelled, before it reads the words that cancelled it. */
  #cancel(running: RunningCall): void {
    this.#end(running, "The call did not complete: it was cancelled.", "cancelled");
    running.scope.abort();
  }

  /** Only the first end of a call counts. */
  #end({ call, reply, startMs }: RunningCall, result: string, outcome: ToolOutcome): void {
    const { clock, events } = this.#options;
    if (!this.#running.delete(call.id)) return;
    if (outcome !== "cancelled") this.#unanswered.add(reply);
    events.ended(call, result, outcome, clock.nowMs() - startMs);
  }

  /** One line for the operator. The message of an error may quote the caller, and that of its cause holds only host and status. */
  #report({ call }: RunningCall, error: unknown): void {
    const { log, connectionId, signal } = this.#options;
    const code = errorCode(error);
    if (signal.aborted || !this.#running.has(call.id) || code === "TOOL_REFUSED") return;
    const cause = error instanceof OakError ? error.cause : undefined;
    const why = error instanceof OakError ? {} : { stack: stackFrames(error) };
    const reason = cause === undefined ? {} : { reason: errorMessage(cause) };
    log.warn({ connection: connectionId, tool: call.name, code, ...reason, ...why }, "tool failed");
  }

  /** A model may ask twice for the same. The second call gets the result of the first, unless that may have changed. */
  #result({ tool, call, scope: { signal } }: RunningCall): Promise<string> {
    const { limits, connectionId, traceparent } = this.#options;
    const before = this.#results.get(keyOf(call));
    const mayHaveChanged = tool?.mayRepeat === true && before !== undefined && before.order < this.#carriedOut;
    if (before !== undefined && !mayHaveChanged) return before.work;
    if (tool === undefined) throw new OakError("this tool is not available any more.", { code: "TOOL_REFUSED" });
    if (this.#count > limits.per_turn || !this.#takeOfMinute())
      throw new OakError("there were too many calls. Answer without another one.", { code: "TOOL_REFUSED" });
    const args = JSON.parse(call.arguments) as Record<string, unknown>;
    const work = tool.run(args, { callId: call.id, connectionId, traceparent: traceparent?.(), signal });
    this.#carriedOut += 1;
    this.#results.set(keyOf(call), { work, order: this.#carriedOut });
    return work;
  }

  /** False when the last minute had as many calls as it may have. */
  #takeOfMinute(): boolean {
    const { limits, clock } = this.#options;
    const nowMs = clock.nowMs();
    this.#recentMs = this.#recentMs.filter((ms) => nowMs - ms < MINUTE_MS);
    if (this.#recentMs.length >= limits.per_minute) return false;
    this.#recentMs = [...this.#recentMs, nowMs];
    return true;
  }
}

/** The order of the arguments does not count. */
const keyOf = ({ name, arguments: args }: ToolCall): string => `${name} ${JSON.stringify(JSON.parse(args), sorted)}`;
const sorted = (_key: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
    : value;

/** The message of an error that a tool did not expect may hold anything, so the model does not get it. */
function failureOf(error: unknown): readonly [string, ToolOutcome] {
  const reason = error instanceof OakError ? errorMessage(error) : "the tool has a fault.";
  return [`The call did not complete: ${reason}`, errorCode(error) === "TOOL_REFUSED" ? "refused" : "failed"];
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true }));
