import { createHash } from "node:crypto";
import type { Redis, RedisOptions } from "ioredis";
import type { ClusterConfig } from "../config/server-config-schema.ts";
import { OakError } from "../shared/errors.ts";
import { FailureReporter } from "../shared/failure-reporter.ts";
import type { Log } from "../shared/log.ts";
import type { Cluster, ClusterFailure, Script, SetOptions } from "./cluster.ts";
import { deriveKey, readClusterSecrets, type ClusterSecrets } from "./cluster-secrets.ts";
import { describeFailure } from "./valkey-failure.ts";

/** A caller waits for an answer before the call begins. A server in the same network answers within 1 ms. */
const COMMAND_DEADLINE_MS = 250;
const CONNECT_DEADLINE_MS = 2_000;
/** The start of the service waits this long for the first connection. */
const START_DEADLINE_MS = 1_000;
const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 5_000;
/** Commands without an answer yet. */
const MOST_IN_FLIGHT = 1_000;

export function defineScript(text: string): Script {
  return { text, sha1: createHash("sha1").update(text).digest("hex") };
}

/**
 * Connects in the background, so that a box starts and takes calls without the store. `commandMs`: an answer after it is late.
 * @throws OakError `CLUSTER_INVALID` when a file cannot be used.
 */
export async function openCluster(
  config: ClusterConfig,
  log: Log,
  commandMs: number = COMMAND_DEADLINE_MS,
): Promise<Cluster> {
  const secrets = readClusterSecrets(config);
  // Loaded when it is needed, because it takes 20 MB.
  const { Redis } = await import("ioredis");
  const client = new Redis({ ...clientOptions(config, secrets), commandTimeout: commandMs });
  const cluster = new ValkeyCluster(client, config.name, secrets.secret, log);
  await cluster.tried(START_DEADLINE_MS);
  return cluster;
}

class ValkeyCluster implements Cluster {
  isConnected = false;
  fault: string | undefined;
  readonly failures: Record<ClusterFailure, number> = { unreachable: 0, late: 0, refused: 0, data: 0 };
  readonly #client: Redis;
  readonly #prefix: string;
  readonly #secret: Buffer;
  readonly #lost: FailureReporter;
  readonly #wrongData: FailureReporter;
  #inFlight = 0;
  #isClosed = false;

  constructor(client: Redis, name: string, secret: Buffer, log: Log) {
    this.#client = client;
    this.#prefix = `${name}:`;
    this.#secret = secret;
    const warn = (error: unknown) => log.warn({ code: (error as OakError).code }, (error as OakError).message);
    this.#lost = new FailureReporter(warn);
    this.#wrongData = new FailureReporter(warn);
    client.on("ready", () => {
      this.isConnected = true;
      this.fault = undefined;
      this.#lost.succeeded();
      log.info("cluster: connected");
    });
    client.on("error", (error: unknown) => void this.#fail(error));
    client.on("close", () => {
      // A failed attempt to connect has its own error.
      if (this.isConnected) this.#fail(new Error("closed"));
      this.isConnected = false;
    });
  }

  /** Resolves when the first attempt to connect has ended, or after `ms`. */
  tried(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(done, ms);
      function done() {
        clearTimeout(timer);
        resolve();
      }
      this.#client.once("ready", done).once("close", done);
    });
  }

  deriveKey(purpose: string): Buffer {
    return deriveKey(this.#secret, purpose);
  }

  async set(key: string, value: string | Buffer, { ttlMs }: SetOptions): Promise<void> {
    await this.#send((client) => client.set(this.#prefix + key, value, "PX", ttlMs));
  }

  async get(key: string): Promise<Buffer | undefined> {
    return (await this.#send((client) => client.getBuffer(this.#prefix + key))) ?? undefined;
  }

  async delete(key: string): Promise<boolean> {
    return (await this.#send((client) => client.del(this.#prefix + key))) > 0;
  }

  run(script: Script, keys: readonly string[], args: readonly (string | number | Buffer)[]): Promise<unknown> {
    const names = keys.map((key) => this.#prefix + key);
    return this.#send(async (client) => {
      try {
        return await client.evalsha(script.sha1, names.length, ...names, ...args);
      } catch (error) {
        // A restarted store has forgotten its scripts.
        if (!String(error).includes("NOSCRIPT")) throw error;
        return await client.eval(script.text, names.length, ...names, ...args);
      }
    });
  }

  close(): void {
    this.#isClosed = true;
    this.isConnected = false;
    this.#client.disconnect();
    // A store that does not answer would keep the socket open.
    this.#client.stream?.destroy();
  }

  async #send<Answer>(command: (client: Redis) => Promise<Answer>): Promise<Answer> {
    if (!this.isConnected) throw unavailable("The boxes' shared store is not connected.");
    if (this.#inFlight >= MOST_IN_FLIGHT) throw unavailable("Too many commands wait for the boxes' shared store.");
    this.#inFlight += 1;
    try {
      const answer = await command(this.#client);
      this.#wrongData.succeeded();
      if (this.isConnected) this.fault = undefined;
      return answer;
    } catch (error) {
      throw this.#fail(error);
    } finally {
      this.#inFlight -= 1;
    }
  }

  /** Counts and reports a failure. The client's own error holds the command, and so values and the password. */
  #fail(error: unknown): OakError {
    const { reason, text } = describeFailure(error);
    if (this.#isClosed) return unavailable(text);
    this.failures[reason] += 1;
    if (reason === "data") {
      const failure = new OakError(text, { code: "CLUSTER_DATA_WRONG" });
      this.#wrongData.failed(failure);
      return failure;
    }
    const failure = unavailable(text);
    this.fault = text;
    this.#lost.failed(failure, reason === "refused" ? reason : "unreachable");
    if (reason === "late" && this.isConnected) {
      // Until a new connection answers, commands fail at once and none waits in the client.
      this.isConnected = false;
      this.#client.stream.destroy();
    }
    return failure;
  }
}

const unavailable = (text: string): OakError => new OakError(text, { code: "CLUSTER_UNAVAILABLE" });

function clientOptions({ url }: ClusterConfig, { password, ca }: ClusterSecrets) {
  const { protocol, hostname, port, username, pathname } = new URL(url);
  return {
    host: hostname.replace(/^\[(.*)\]$/u, "$1"),
    port: Number(port || 6379),
    db: Number(pathname.slice(1)),
    ...(username === "" ? {} : { username: decodeURIComponent(username) }),
    ...(password === undefined ? {} : { password }),
    ...(protocol === "rediss:" ? { tls: ca === undefined ? {} : { ca } } : {}),
    protocol: 2,
    disableClientInfo: true,
    connectTimeout: CONNECT_DEADLINE_MS,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt: number) => Math.min(FIRST_RETRY_MS * 2 ** (attempt - 1), LAST_RETRY_MS),
    // After a failover the old server takes no more writes.
    reconnectOnError: (error: Error) => error.message.startsWith("READONLY"),
  } satisfies RedisOptions;
}
