import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { systemClock } from "../../shared/clock.ts";
import { errorMessage, OakError } from "../../shared/errors.ts";
import { FailureReporter } from "../../shared/failure-reporter.ts";
import type { Log } from "../../shared/log.ts";
import { discardInput } from "./discard-input.ts";

const MOST_SOCKETS = 32;
const SOCKET_TIMEOUT_MS = 2_000;
const RETRY_MS = 1_000;

export interface AgentCheck {
  /** Undefined while another process has the port. */
  readonly port: number | undefined;
  close(): Promise<void>;
}

export interface AgentCheckOptions {
  readonly host: string;
  readonly port: number;
  /** One line with its line feed. */
  readonly answer: () => string;
  readonly log: Log;
}

/**
 * Answers each connection with one line, and ends it. A port that an older process still has is taken when it is free.
 * @throws OakError `LISTEN_FAILED`.
 */
export async function startAgentCheck({ host, port, answer, log }: AgentCheckOptions): Promise<AgentCheck> {
  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    socket.setTimeout(SOCKET_TIMEOUT_MS, () => socket.destroy());
    discardInput(socket);
    socket.end(answer(), () => socket.destroySoon());
  });
  server.maxConnections = MOST_SOCKETS;
  const failures = new FailureReporter((error) => log.warn({ code: "LISTEN_FAILED" }, errorMessage(error)));
  let cancelRetry = () => {};
  let isClosed = false;
  server.on("error", (cause: NodeJS.ErrnoException) => {
    failures.failed(failure(host, port, cause));
    if (!isClosed && cause.code === "EADDRINUSE")
      cancelRetry = systemClock.after(RETRY_MS, () => server.listen(port, host));
  });
  server.on("listening", () => failures.succeeded());
  try {
    await once(server.listen(port, host), "listening");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EADDRINUSE") throw failure(host, port, cause);
  }
  return {
    get port() {
      return (server.address() as AddressInfo | null)?.port;
    },
    close() {
      isClosed = true;
      cancelRetry();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function failure(host: string, port: number, cause: unknown): OakError {
  const message = `agent_check_port: cannot listen on ${host} port ${String(port)}: ${errorMessage(cause)}.`;
  return new OakError(message, { code: "LISTEN_FAILED", cause });
}
