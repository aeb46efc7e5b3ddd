import { isatty } from "node:tty";
import { createLocalKey, needsLocalKey, removeLeftOvers, removeLocalKey } from "../auth/local-key.ts";
import { startMessage } from "./start-message.ts";
import { startService, type Service } from "./service.ts";
import type { LoadedServerConfig } from "../config/server-config.ts";
import { untilProcessFault } from "./process-fault.ts";
import { errorCode, errorMessage } from "../shared/errors.ts";
import { createLog, type Log } from "../shared/log.ts";
import { print } from "../shared/standard-output.ts";
import { takePassedSocket } from "../server/http/passed-socket.ts";

/** Runs the server until a signal stops it. */
export async function serve({ config, warnings }: LoadedServerConfig): Promise<void> {
  let service: Service | undefined;
  // SIGHUP means that the terminal closed. Without a terminal it asks for a reload.
  const hasTerminal = [0, 1, 2].some((descriptor) => isatty(descriptor));
  // Register this before the slow start: an unhandled SIGHUP kills the process.
  if (!hasTerminal) process.on("SIGHUP", () => void service?.reload());
  // By default SIGUSR1 makes Node open its inspector on a port.
  process.on("SIGUSR1", () => undefined);
  const replaced = new Promise<"SIGUSR2">((resolve) => process.on("SIGUSR2", resolve));
  const passedSocket = takePassedSocket(process.env, process.pid);
  const log = createLog(config.logLevel, config.logFormat);
  const fault = untilProcessFault(log).then((error) => {
    throw error;
  });
  for (const warning of warnings) log.warn(warning);
  const isLocal = needsLocalKey(config);
  service = await Promise.race([startService(config, log, passedSocket), fault]);
  // Change the keys only after the start: a failed start must not affect a running server.
  clearLeftOvers(config.dataDir, log);
  const key = isLocal ? createLocalKey(config.dataDir, "start", Date.now()) : undefined;
  const signals = ["SIGTERM", "SIGINT", ...(hasTerminal ? (["SIGHUP"] as const) : [])] as const;
  const running = service;
  const stopped = untilStopped(signals, () => {
    const isWaiting = running.hurry();
    if (isWaiting) log.info("not waiting for turns and calls any more");
    return isWaiting;
  });
  // Do not await this: a paused terminal must not delay a stop.
  void print(startMessage(config, service.port, key, isatty(1))).catch((error: unknown) =>
    log.warn({ code: errorCode(error) }, errorMessage(error)),
  );
  const current = service;
  const drained = replaced.then(async (signal) => {
    await current.drain();
    return signal;
  });
  try {
    log.info({ signal: await Promise.race([stopped, drained, fault]) }, "stopping");
  } finally {
    await service.close();
    if (isLocal) removeLocalKey(config.dataDir, "start");
  }
}

/** A failed write to the disk does not stop the server. */
function clearLeftOvers(dataDir: string, log: Log): void {
  try {
    removeLeftOvers(dataDir);
  } catch (error) {
    log.warn({ code: errorCode(error) }, errorMessage(error));
  }
}

/** Resolves with the first signal. A later SIGTERM or SIGINT calls `hurry`, and ends the process at once when that returns false. */
function untilStopped(signals: readonly NodeJS.Signals[], hurry: () => boolean): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let isStopping = false;
    for (const signal of signals) {
      process.on(signal, () => {
        // Both the shell and the kernel report a closed terminal, so SIGHUP may come twice.
        if (isStopping && signal !== "SIGHUP" && !hurry()) process.exit(1);
        isStopping = true;
        resolve(signal);
      });
    }
  });
}
