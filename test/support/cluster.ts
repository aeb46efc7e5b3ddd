import { onTestFinished } from "vitest";
import { openCluster } from "../../src/cluster/valkey.ts";
import { serverConfigSchema } from "../../src/config/server-config-schema.ts";
import { silentLog, type Log } from "../../src/shared/log.ts";
import { writeSecret } from "./redis-server.ts";

/** The shortest deadline that a store on a busy machine keeps. */
const COMMAND_MS = 3_000;

/** A box's client of the store. `lines` has the messages of its log, without those of level debug. */
export async function openTestCluster(url: string, fields: object = {}) {
  const lines: string[] = [];
  const take = (...args: unknown[]) => void lines.push(String(args.at(-1)));
  const log = { ...silentLog, info: take, warn: take, error: take } as unknown as Log;
  const { cluster: config } = serverConfigSchema.parse({ cluster: { url, secret_file: writeSecret(), ...fields } });
  const cluster = await openCluster(config!, log, COMMAND_MS);
  onTestFinished(() => cluster.close());
  return { cluster, lines };
}
