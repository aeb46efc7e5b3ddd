import { spawn } from "node:child_process";
import { connect } from "node:net";
import { join } from "node:path";
import { createLocalKey, removeLocalKey } from "../src/auth/local-key.ts";
import { voiceAddress } from "../src/client/address.ts";
import { packageRoot } from "../src/shared/package-root.ts";
import { loadServerConfig } from "../src/config/server-config.ts";
import { firstLine } from "../src/shared/first-line.ts";

export interface ServerWish {
  /** Where a server of this machine may listen; else where its configuration says. */
  readonly port?: number | undefined;
  /** One elsewhere: its base address, or all of it with `<connection_id>` in it. */
  readonly url?: string | undefined;
  readonly apiKey?: string | undefined;
  readonly configId: string;
  /** The server's configuration file; without one, OAKVOICE_CONFIG names it. */
  readonly config?: string | undefined;
  /** Callers at once, for a server that this tool starts. Its configuration may allow more. */
  readonly callers?: number | undefined;
}

export interface FoundServer extends Disposable {
  urlOf(connectionId: string): string;
  /** Port on this machine; undefined for a server elsewhere. */
  readonly port: number | undefined;
  /** This tool started the server and stops it at the end. */
  readonly isOwn: boolean;
}

const nothing = (): void => undefined;

/** A server to talk to: the given one, the one that listens here, or one of our own. */
export async function findServer({
  port: wished,
  url,
  apiKey,
  configId,
  config,
  callers = 0,
}: ServerWish): Promise<FoundServer> {
  if (url !== undefined) {
    const { hostname, port: named } = new URL(url);
    const isHere = ["localhost", "127.0.0.1", "[::1]"].includes(hostname) && named !== "";
    const isWhole = url.includes("/ws/voice/");
    const urlOf = isWhole ? filled(url) : voiceAddress({ base: url, apiKey: apiKey ?? missingKey(), configId });
    return { urlOf, port: isHere ? Number(named) : undefined, isOwn: false, [Symbol.dispose]: nothing };
  }
  const { dataDir, tls, port: configured, limits } = loadServerConfig(config, process.env).config;
  const port = wished ?? configured;
  const makeKey = () => createLocalKey(dataDir, "talk", Date.now());
  if (await isListening(port)) {
    return {
      urlOf: voiceAddress({
        base: `${tls === undefined ? "ws" : "wss"}://127.0.0.1:${String(port)}`,
        apiKey: apiKey ?? makeKey(),
        configId,
      }),
      port,
      isOwn: false,
      [Symbol.dispose]: () => (apiKey === undefined ? removeLocalKey(dataDir, "talk") : undefined),
    };
  }
  console.log("no server listens: starting one for this call");
  const file = config === undefined ? [] : ["--config", config];
  const here = [...file, "--host", "127.0.0.1", "--port", "0"];
  const child = spawn(process.execPath, [join(packageRoot, "dist", "src", "main.js"), ...here], {
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      OAKVOICE_LOG_LEVEL: "warn",
      ...process.env,
      OAKVOICE_LIMITS_MAX_CONNECTIONS: String(Math.max(callers, limits.max_connections)),
    },
  });
  // However this call ends, its server ends too: "exit" also follows a fault, but no signal.
  process.once("exit", () => child.kill("SIGTERM"));
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(1));
  const address = (await firstLine(child)).replace("config_id=default", `config_id=${configId}`);
  // Where the operator has made keys, the server makes none of its own.
  const needsKey = address.includes("<API_KEY>");
  const template = needsKey ? address.replace("<API_KEY>", apiKey ?? makeKey()) : address;
  return {
    urlOf: filled(template),
    port: Number(new URL(address.replace("<connection_id>", "any")).port),
    isOwn: true,
    [Symbol.dispose]: () => {
      if (needsKey && apiKey === undefined) removeLocalKey(dataDir, "talk");
      child.kill("SIGTERM");
    },
  };
}

function missingKey(): never {
  throw new Error("--url needs --api-key: the server prints a key when it starts");
}

const filled = (template: string) => (connectionId: string) => template.replace("<connection_id>", connectionId);

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    const settle = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once("connect", () => settle(true));
    socket.once("error", () => settle(false));
  });
}
