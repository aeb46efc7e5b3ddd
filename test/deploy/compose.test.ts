import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { loadServerConfig } from "../../src/config/server-config.ts";
import { packageRoot } from "../../src/shared/package-root.ts";
import { HAPROXY_FILE } from "../support/haproxy.ts";

interface Service {
  readonly read_only: boolean;
  readonly cap_drop: readonly string[];
  readonly networks: readonly string[] | Readonly<Record<string, unknown>>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: readonly string[];
  readonly stop_grace_period?: string;
}

const folder = join(packageRoot, "deploy/compose");
const file = parse(readFileSync(join(folder, "compose.yaml"), "utf8"), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean }>>;
  readonly secrets: Readonly<Record<string, unknown>>;
};
const networksOf = ({ networks }: Service) => (Array.isArray(networks) ? networks : Object.keys(networks));

test("every container is read-only and without capabilities, and its secrets are files", () => {
  for (const service of Object.values(file.services)) {
    expect(service).toMatchObject({ read_only: true, cap_drop: ["ALL"] });
    for (const secret of service.secrets ?? []) expect(file.secrets).toHaveProperty([secret]);
  }
});

test("only the balancer is on a network that leads out", () => {
  const outside = Object.entries(file.services).filter(([, service]) =>
    networksOf(service).some((network) => file.networks[network]?.internal !== true),
  );
  expect(outside.map(([name]) => name)).toEqual(["haproxy"]);
});

test("the balancer's variables are those of its file", () => {
  const known = readFileSync(HAPROXY_FILE, "utf8");
  const names = Object.keys(file.services["haproxy"]?.environment ?? {});
  expect(names.filter((name) => !known.includes(name))).toEqual([]);
});

test("the configuration's secrets and ports are those of the containers", () => {
  const { cluster, agentCheckPort, port } = loadServerConfig(join(folder, "oakvoice.yaml"), {}).config;
  const { box1, haproxy } = file.services;
  const secrets = (box1?.secrets ?? []).map((name) => `/run/secrets/${name}`);
  expect(new Set([cluster?.secret_file, cluster?.password_file])).toEqual(new Set(secrets));
  expect(Object.keys(file.services)).toContain(new URL(cluster?.url ?? "").hostname);
  expect(haproxy?.environment).toMatchObject({
    OAKVOICE_AGENT_PORT: String(agentCheckPort),
    OAKVOICE_BOXES: `boxes:${String(port)}`,
  });
});

test("no container is killed before its calls may end", () => {
  const { limits } = loadServerConfig(join(folder, "oakvoice.yaml"), {}).config;
  expect(limits.drain).toBe("calls");
  const drain = limits.drain_timeout_seconds + limits.shutdown_timeout_seconds;
  for (const name of ["box1", "box2", "box3", "haproxy"])
    expect(Number.parseInt(file.services[name]?.stop_grace_period ?? "", 10)).toBeGreaterThan(drain);
});
