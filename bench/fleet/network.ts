import { spawnSync } from "node:child_process";

const BRIDGE_HOST = 1;
const FIRST_HOST = 10;

/** Where one machine of the fleet runs. */
export interface Place {
  readonly address: string;
  /** Words before a command that runs there. */
  readonly wrapper: readonly string[];
  /** Takes the machine's link down. Undefined without namespaces. */
  readonly cut: (() => void) | undefined;
}

/**
 * A network namespace for each machine, connected by a bridge. The callers stay outside. Where namespaces cannot be made, each
 * machine gets a loopback address.
 */
export class FleetNetwork implements Disposable {
  static #networks = 0;
  readonly hasNamespaces: boolean;
  /** Names of network devices have 15 characters at most. */
  readonly #prefix = `oak${String(process.pid % 1e5)}${"abcdefghij"[FleetNetwork.#networks++ % 10]!}`;
  readonly #subnet = `10.${String(64 + (process.pid % 64))}.${String(Math.floor(process.pid / 64) % 256)}`;
  readonly #namespaces: string[] = [];
  readonly #links: string[] = [];
  readonly #onExit = () => this[Symbol.dispose]();

  constructor() {
    const bridge = `${this.#prefix}b`;
    this.hasNamespaces =
      succeeds("ip", "link", "add", bridge, "type", "bridge") &&
      succeeds("ip", "address", "add", `${this.#subnet}.${String(BRIDGE_HOST)}/24`, "dev", bridge) &&
      succeeds("ip", "link", "set", bridge, "up");
    process.once("exit", this.#onExit);
  }

  place(): Place {
    const host = FIRST_HOST + this.#namespaces.length;
    const name = `${this.#prefix}n${String(host)}`;
    this.#namespaces.push(name);
    if (!this.hasNamespaces) return { address: `127.0.1.${String(host)}`, wrapper: [], cut: undefined };
    const address = `${this.#subnet}.${String(host)}`;
    const link = `${this.#prefix}v${String(host)}`;
    this.#links.push(link);
    const inside = ["ip", "netns", "exec", name];
    must("ip", "netns", "add", name);
    must("ip", "link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", name);
    must("ip", "link", "set", link, "master", `${this.#prefix}b`, "up");
    must("ip", "-netns", name, "address", "add", `${address}/24`, "dev", "eth0");
    for (const device of ["lo", "eth0"]) must("ip", "-netns", name, "link", "set", device, "up");
    return { address, wrapper: inside, cut: () => must("ip", "link", "set", link, "down") };
  }

  [Symbol.dispose](): void {
    process.off("exit", this.#onExit);
    if (!this.hasNamespaces) return;
    for (const link of [...this.#links.splice(0), `${this.#prefix}b`]) spawnSync("ip", ["link", "delete", link]);
    for (const name of this.#namespaces.splice(0)) spawnSync("ip", ["netns", "delete", name]);
  }
}

const succeeds = (command: string, ...words: string[]): boolean =>
  spawnSync(command, words, { stdio: "ignore" }).status === 0;

function must(command: string, ...words: string[]): void {
  const { status, stderr } = spawnSync(command, words, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} ${words.join(" ")}: ${stderr.trim()}`);
}
