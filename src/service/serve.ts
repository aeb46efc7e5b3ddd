import { hostname } from "node:os";
import { isatty } from "node:tty";
import { createLocalKey, needsLocalKey, removeLeftOvers, removeLocalKey } from "../auth/local-key.ts";
import { startService, type Service } from "./service.ts";
import type { LoadedServerConfig, ServerConfig } from "../config/server-config.ts";
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
  const log = createLog(config.logLevel);
  const fault = untilProcessFault(log).then((error) => {
    throw error;
  });
  for (const warning of warnings) log.warn(warning);
  const isLocal = needsLocalKey(config);
  service = await Promise.race([startService(config, log, passedSocket), fault]);
  // Change the keys only after the start: a failed start must not affect a running server.
  clearLeftOvers(config.dataDir, log);
  const key = isLocal ? createLocalKey(config.dataDir, "start", Date.now()) : "<API_KEY>";
  const signals = ["SIGTERM", "SIGINT", ...(hasTerminal ? (["SIGHUP"] as const) : [])] as const;
  const running = service;
  const stopped = untilStopped(signals, () => {
    const isWaiting = running.hurry();
    if (isWaiting) log.info("not waiting for turns and calls any more");
    return isWaiting;
  });
  // Do not await this: a paused terminal must not delay a stop.
  void print([...addresses(config, service.port, key), ...labels(config, key)].join("\n")).catch((error: unknown) =>
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

/** The URL for programs and the URL of the page. */
function addresses(config: ServerConfig, port: number, key: string): string[] {
  const secure = config.tls === undefined ? "" : "s";
  // Clients cannot connect to 0.0.0.0 or ::. Print the host name, which the certificate names.
  const name = /^(?:0\.0\.0\.0|::)$/u.test(config.host) ? hostname() : config.host;
  const host = name.includes(":") ? `[${name}]` : name;
  const page = `http${secure}://${host}:${String(port)}/`;
  return [
    `ws${secure}://${host}:${String(port)}/ws/voice/<connection_id>?api_key=${key}&config_id=default`,
    // Browsers do not send the part after the # to a server.
    ...(config.playground ? [key.startsWith("oak_") ? `${page}#api_key=${key}` : page] : []),
  ];
}

/** Lines after the addresses, whose own lines hold nothing else for programs that read them. */
function labels({ playground, auth }: ServerConfig, key: string): string[] {
  const page = playground ? " The second one is the page for a browser." : "";
  const use = `The first address is for programs; any text may take the place of <connection_id>.${page}`;
  if (key.startsWith("oak_")) return [`${use} Both hold a key that ends with this server.`];
  const source = auth.jwt === undefined ? '"oakvoice keys create" printed' : "your server signs, or a key";
  return [`${use} Type the key that ${source}: this server has keys of its own, and prints none.`];
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
