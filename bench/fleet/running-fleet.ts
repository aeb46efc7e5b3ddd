import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packageRoot } from "../../src/shared/package-root.ts";
import { serverConfigSchema } from "../../src/config/server-config-schema.ts";
import { ServerProcess } from "../hostile/server-process.ts";
import { FleetNetwork, type Place } from "./network.ts";
import { Program } from "./program.ts";
import { storeUse, type StoreUse } from "./store-use.ts";

const BALANCER_PORT = 8080;
const REDIS_PORT = 6379;
const AGENT_PORT = 8788;
const HAPROXY_CONFIGURATION = join(packageRoot, "deploy", "haproxy", "haproxy.cfg");
const SECRET = "bench:fleet, not a secret of anything else";

export interface FleetWish {
  /** Calls that a box takes. */
  readonly places: number;
  readonly drainSeconds: number;
}

interface Parts {
  readonly boxes: readonly FleetBox[];
  readonly redis: Program;
  readonly redisAddress: string;
  readonly balancer: Program;
  /** Base address of the balancer. */
  readonly base: string;
  readonly end: () => Promise<void>;
}

export interface FleetBox {
  readonly server: ServerProcess;
  readonly place: Place;
}

/** Settings that this version of the server has. The bench measures without those that it lacks, and says so. */
export const abilities = {
  "cluster.url": accepts({ cluster: { url: "redis://127.0.0.1", secret_file: "secret" } }),
  "limits.refuse_before_upgrade": accepts({ limits: { refuse_before_upgrade: true } }),
  agent_check_port: accepts({ agent_check_port: AGENT_PORT }),
};

function accepts(settings: unknown): boolean {
  return serverConfigSchema.safeParse(settings).success;
}

/** Three real boxes behind Debian's HAProxy, with Debian's Redis, each in a network namespace where that is possible. */
export class RunningFleet implements AsyncDisposable {
  readonly boxes: readonly FleetBox[];
  readonly redis: Program;
  readonly balancer: Program;
  readonly urlOf: (connectionId: string) => string;
  readonly #redisAddress: string;
  readonly #end: () => Promise<void>;

  constructor({ boxes, redis, redisAddress, balancer, base, end }: Parts) {
    this.boxes = boxes;
    this.redis = redis;
    this.balancer = balancer;
    this.urlOf = boxes[0]!.server.addressBehind(base);
    this.#redisAddress = redisAddress;
    this.#end = end;
  }

  static async start(wish: FleetWish): Promise<RunningFleet> {
    const parts: (AsyncDisposable | Disposable)[] = [];
    const own = <Part extends AsyncDisposable | Disposable>(part: Part): Part => {
      parts.unshift(part);
      return part;
    };
    const end = async () => {
      for (const part of parts.splice(0))
        await (Symbol.asyncDispose in part ? part[Symbol.asyncDispose]() : part[Symbol.dispose]());
    };
    try {
      return await assemble(wish, own, end);
    } catch (error) {
      await end();
      throw error;
    }
  }

  storeUse(): StoreUse | undefined {
    return storeUse(this.#redisAddress, REDIS_PORT);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end();
  }
}

type Own = <Part extends AsyncDisposable | Disposable>(part: Part) => Part;

async function assemble(wish: FleetWish, own: Own, end: () => Promise<void>): Promise<RunningFleet> {
  const network = own(new FleetNetwork());
  const folder = mkdtempSync(join(tmpdir(), "oakvoice-fleet-"));
  own({ [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) });
  const secretFile = join(folder, "secret");
  writeFileSync(secretFile, SECRET);
  const redisPlace = network.place();
  const redis = own(startRedis(redisPlace, folder));
  await redis.until(() => redis.lines.some((line) => line.includes("Ready to accept connections")));
  const boxes: FleetBox[] = [];
  for (let box = 0; box < 3; box += 1) {
    const place = network.place();
    const yaml = boxSettings(wish, place, secretFile, redisPlace);
    const [first] = boxes;
    const options = { yaml, wrapper: place.wrapper, ...(first !== undefined && { sameKeyAs: first.server }) };
    boxes.push({ server: own(await ServerProcess.start(options)), place });
  }
  const balancerPlace = network.place();
  const base = `${balancerPlace.address}:${String(BALANCER_PORT)}`;
  const balancer = own(startBalancer(balancerPlace, base, boxes));
  await balancer.until(async () => (await fetch(`http://${base}/balancer`).catch(() => undefined))?.ok === true);
  return new RunningFleet({ boxes, redis, redisAddress: redisPlace.address, balancer, base: `ws://${base}`, end });
}

function boxSettings({ places, drainSeconds }: FleetWish, place: Place, secretFile: string, redis: Place): string {
  const limits = [
    `max_connections: ${String(places)}`,
    `drain_timeout_seconds: ${String(drainSeconds)}`,
    ...(abilities["limits.refuse_before_upgrade"] ? ["refuse_before_upgrade: true"] : []),
  ];
  const url = `redis://${redis.address}:${String(REDIS_PORT)}`;
  return [
    `host: ${place.address}`,
    "allow_insecure: true",
    "models: { stt: { threads: 1 }, llm: { threads: 1 }, tts: { threads: 1 } }",
    `limits: { ${limits.join(", ")} }`,
    ...(abilities.agent_check_port ? [`agent_check_port: ${String(AGENT_PORT)}`] : []),
    ...(abilities["cluster.url"] ? [`cluster: { url: "${url}", secret_file: ${secretFile} }`] : []),
    "",
  ].join("\n");
}

function startRedis({ address, wrapper }: Place, folder: string): Program {
  const options = ["--bind", address, "--port", String(REDIS_PORT), "--protected-mode", "no"];
  return new Program([...wrapper, "redis-server", ...options, "--save", "", "--dir", folder]);
}

/** HAProxy with the configuration that operators get. */
function startBalancer({ wrapper }: Place, bind: string, boxes: readonly FleetBox[]): Program {
  const servers = boxes.map(({ server }, at) => [`OAKVOICE_BOX_${String(at + 1)}`, new URL(server.url).host] as const);
  return new Program([...wrapper, "haproxy", "-db", "-f", HAPROXY_CONFIGURATION], {
    OAKVOICE_BIND: bind,
    // The call over a cut network keeps its connection to the box until a time-out.
    OAKVOICE_LONGEST_CALL: "5s",
    ...Object.fromEntries(servers),
    ...(abilities.agent_check_port && { OAKVOICE_AGENT_PORT: String(AGENT_PORT) }),
  });
}
