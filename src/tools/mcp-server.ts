import type { CallToolResult } from "@modelcontextprotocol/client";
import type { ToolRun } from "../conversation/tool-calls/tool.ts";
import { backOffMs } from "../shared/back-off.ts";
import type { Clock } from "../shared/clock.ts";
import { errorMessage } from "../shared/errors.ts";
import { FailureReporter } from "../shared/failure-reporter.ts";
import type { Log } from "../shared/log.ts";
import { Tasks } from "../shared/tasks.ts";
import type { Arguments } from "../shared/json-schema/check-arguments.ts";
import type { Egress } from "../egress/egress.ts";
import { reasonOf } from "../egress/causes.ts";
import { failureKind, statusOf, toolFailure } from "./failures.ts";
import { type ListedTool, type McpAddress, McpConnection } from "./mcp-connection.ts";
import { withinTime } from "./within-time.ts";

const BACK_OFF = { firstMs: 1_000, longestMs: 300_000, attempts: Infinity };
const CLOSE_SECONDS = 2;
const UNKNOWN_SESSION = new Set([400, 404]);

export interface McpServerParts {
  readonly address: McpAddress;
  readonly egress: Egress;
  readonly log: Log;
  readonly clock: Clock;
}

/** An MCP server that configurations use. Connects again after a failure, with back-off and at the next call. */
export class McpServer {
  readonly #parts: McpServerParts;
  readonly #closing = new AbortController();
  readonly #tasks: Tasks;
  readonly #failures: FailureReporter;
  #connection: Promise<McpConnection> | undefined;
  #tools: ReadonlyMap<string, ListedTool> | undefined;
  #isKept = false;
  #attempt = 0;
  #cancelRetry = () => {};

  constructor(parts: McpServerParts) {
    this.#parts = parts;
    const warn = (error: unknown) => parts.log.warn(errorMessage(error));
    this.#tasks = new Tasks(warn);
    this.#failures = new FailureReporter(warn);
  }

  get address(): McpAddress {
    return this.#parts.address;
  }

  get host(): string {
    return this.#parts.address.url.host;
  }

  /** The tools of the last list. Undefined before the first one. */
  get tools(): ReadonlyMap<string, ListedTool> | undefined {
    return this.#tools;
  }

  /** Connects unless it is connected. Resolves when the attempt has ended. */
  async keep(): Promise<void> {
    this.#isKept = true;
    await this.#connect().catch(() => undefined);
  }

  /** No configuration uses the server any more. A call of an older conversation still works. */
  retire(): void {
    this.#isKept = false;
    this.#cancelRetry();
    this.#drop();
  }

  async close(): Promise<void> {
    this.retire();
    this.#closing.abort();
    await this.#tasks.settled();
  }

  /** @throws OakError `TOOL_FAILED`, `TOOL_TIMEOUT`; the signal's reason. */
  call(name: string, args: Arguments, run: ToolRun, seconds: number): Promise<CallToolResult> {
    return withinTime(seconds, run.signal, this.#parts.clock, async (limit) => {
      for (let left = 1; ; left -= 1) {
        const connecting = this.#connect();
        const connection = await connecting.catch((error: unknown) => {
          throw toolFailure("unreachable", reasonOf(this.host, error));
        });
        try {
          return await connection.call(name, args, run, limit);
        } catch (error) {
          limit.throwIfAborted();
          // A server that was started again does not know the session, and says so before it does anything.
          const isForgotten = UNKNOWN_SESSION.has(statusOf(error) ?? 0);
          const kind = failureKind(error);
          if (isForgotten || kind === "unreachable") this.#drop(connecting);
          if (!isForgotten || left === 0) throw toolFailure(kind, reasonOf(this.host, error));
        }
      }
    });
  }

  #connect(): Promise<McpConnection> {
    if (this.#closing.signal.aborted) return Promise.reject(new Error("closed"));
    this.#cancelRetry();
    return (this.#connection ??= this.#open());
  }

  async #open(): Promise<McpConnection> {
    const { address, egress, clock } = this.#parts;
    try {
      const opening = (signal: AbortSignal) => McpConnection.open(address, egress, signal);
      const connection = await withinTime(address.timeoutSeconds, this.#closing.signal, clock, opening);
      this.#failures.succeeded();
      this.#attempt = 0;
      this.#tools = connection.tools;
      return connection;
    } catch (error) {
      this.#connection = undefined;
      if (!this.#closing.signal.aborted) this.#retryLater(error);
      throw error;
    }
  }

  #retryLater(error: unknown): void {
    const { message } = reasonOf(this.host, error);
    const warning = `the MCP server ${message}: its tools cannot be used now. The server tries again.`;
    this.#failures.failed(new Error(warning));
    if (!this.#isKept) return;
    const waitMs = backOffMs(BACK_OFF, this.#attempt, Math.random());
    this.#attempt += 1;
    this.#cancelRetry = this.#parts.clock.after(waitMs, () => this.#tasks.own(this.keep()));
  }

  /** @param which Only when it is the current one. Default: the current one. */
  #drop(which = this.#connection): void {
    if (which === undefined || which !== this.#connection) return;
    this.#connection = undefined;
    const end = async () => {
      const connection = await which.catch(() => undefined);
      const never = new AbortController().signal;
      if (connection === undefined) return;
      await withinTime(CLOSE_SECONDS, never, this.#parts.clock, (signal) => connection.close(signal)).catch(
        () => undefined,
      );
    };
    this.#tasks.own(end());
  }
}
