import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { packageRoot } from "../../src/shared/package-root.ts";
import { loadServerConfig } from "../../src/config/server-config.ts";
import { httpEndpoints } from "../../src/server/http/http-endpoints.ts";
import { hasHelm, manifestFaults, renderChart, type Manifest } from "../support/helm.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const promtool = (args: readonly string[], cwd: string) => spawnSync("promtool", args, { cwd, encoding: "utf8" });
const hasPromtool = promtool(["--version"], packageRoot).status === 0;

const least = { keysSecret: "oakvoice-keys" };
const peer = (name: string) => ({ podSelector: { matchLabels: { app: name } } });
const most = {
  tokensSecret: "oakvoice-tokens",
  tlsSecret: "oakvoice-tls",
  voicesConfigMap: "oakvoice-voices",
  modelsClaim: "oakvoice-models",
  config: { profile: "gpu", auth: { jwt: { algorithms: ["RS256"], jwks_file: "/etc/oakvoice/tokens/jwks.json" } } },
  cluster: {
    url: "rediss://valkey.data.svc:6380",
    secret: "oakvoice-cluster",
    hasPassword: true,
    hasCa: true,
    port: 6380,
    peers: [peer("valkey")],
  },
  gpu: { count: 1 },
  runtimeClassName: "nvidia",
  calls: { perPod: 24, longestSeconds: 7200 },
  balancer: { tlsSecret: "public-tls" },
  autoscaling: { enabled: true, buffer: 6 },
  serviceMonitor: { enabled: true, labels: { release: "prometheus" } },
  networkPolicy: {
    callers: [peer("gateway")],
    monitoring: [peer("prometheus")],
    egress: [{ to: [{ ipBlock: { cidr: "10.1.2.3/32" } }], ports: [{ port: 443 }] }],
  },
};

const find = (manifests: readonly Manifest[], kind: string, name: string): Manifest => {
  const found = manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name === name);
  if (found === undefined) throw new Error(`no ${kind} ${name}`);
  return found;
};
const podOf = (manifests: readonly Manifest[], name = "oak-oakvoice") =>
  find(manifests, "Deployment", name)["spec"].template.spec;

describe.skipIf(!hasHelm)("deploy/kubernetes/oakvoice", () => {
  test.each([
    ["the fewest values", least, 10],
    ["the most values", most, 12],
    ["no balancer", { ...least, balancer: { enabled: false } }, 6],
  ])("renders valid manifests with %s", (_case, values, count) => {
    const manifests = renderChart(values);
    expect(manifestFaults(manifests)).toBe("");
    expect(manifests).toHaveLength(count);
  });

  test("the check of manifests finds misspelt fields and wrong values", () => {
    const manifests = renderChart(least);
    const pod = podOf(manifests);
    pod.containers[0].readinesProbe = pod.containers[0].readinessProbe;
    pod.restartPolicy = 3;
    expect(manifestFaults(manifests)).toMatch(/readinesProbe(?:.|\n)*restartPolicy/u);
  });

  test.each([
    ["an unknown value", { ...least, replica: 3 }, /replica is not allowed/u],
    ["neither keys nor tokens", {}, /set keysSecret or config\.auth\.jwt/u],
    [
      "a store without its secret",
      { ...least, cluster: { url: "redis://valkey:6379", peers: [peer("valkey")] } },
      /cluster\.secret/u,
    ],
    [
      "a store that no policy opens",
      { ...least, cluster: { url: "redis://valkey:6379", secret: "s" } },
      /cluster\.peers/u,
    ],
  ])("refuses %s", (_case, values, message) => {
    expect(() => renderChart(values)).toThrow(message);
  });

  test.each([
    ["the fewest", least],
    ["the most", most],
  ])("the server accepts the configuration made from %s values", (_case, values) => {
    const manifests = renderChart(values);
    const file = join(temporaryFolder(), "oakvoice.yaml");
    writeFileSync(file, find(manifests, "ConfigMap", "oak-oakvoice")["data"]["oakvoice.yaml"], { mode: 0o600 });
    const { config } = loadServerConfig(file, {});
    const { limits, port, dataDir } = config;
    expect(limits).toMatchObject({ drain: "calls", refuse_before_upgrade: true });
    const pod = podOf(manifests);
    // The kubelet must not end a pod that still waits for calls.
    const drain = limits.drain_timeout_seconds + limits.shutdown_timeout_seconds;
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(drain + 5);
    expect(pod.containers[0].ports[0].containerPort).toBe(port);
    const mounts = pod.containers[0].volumeMounts.map(({ mountPath }: { mountPath: string }) => mountPath);
    expect(mounts).toContain(dataDir);
    const { tls, auth, cluster } = config;
    const files = [
      tls?.cert_file,
      tls?.key_file,
      auth.jwt?.jwks_file,
      cluster?.secret_file,
      cluster?.password_file,
      cluster?.ca_file,
    ];
    for (const name of files) if (name !== undefined) expect(mounts).toContain(dirname(name));
    const balancer = podOf(manifests, "oak-oakvoice-balancer").containers[0].env;
    expect(balancer).toContainEqual({ name: "OAKVOICE_AGENT_PORT", value: String(config.agentCheckPort) });
  });

  test("pods need no root, write nothing and know no token of the cluster", () => {
    const manifests = renderChart(most);
    for (const name of ["oak-oakvoice", "oak-oakvoice-balancer"]) {
      const pod = podOf(manifests, name);
      expect(pod).toMatchObject({ automountServiceAccountToken: false, securityContext: { runAsNonRoot: true } });
      for (const { securityContext } of [...pod.containers, ...(pod.initContainers ?? [])])
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] },
        });
    }
  });

  test("pods reach nothing, unless a value names it", () => {
    const egress = (values: object) => find(renderChart(values), "NetworkPolicy", "oak-oakvoice")["spec"].egress;
    expect(egress(least)).toEqual([]);
    expect(egress(most).map(({ ports }: { ports: { port: number }[] }) => ports[0]?.port)).toEqual([443, 6380, 53]);
  });

  test("probes and metrics are at paths that the server answers", () => {
    const manifests = renderChart(most);
    const { startupProbe, livenessProbe, readinessProbe } = podOf(manifests).containers[0];
    const probes = [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet.path);
    const [endpoint] = find(manifests, "ServiceMonitor", "oak-oakvoice")["spec"].endpoints;
    const answer = httpEndpoints({
      notReady: () => undefined,
      metrics: { contentType: "text/plain", metrics: () => Promise.resolve("") },
      metricsPublic: true,
    });
    for (const url of [...probes, endpoint.path]) {
      const request = new IncomingMessage(new Socket());
      Object.assign(request, { method: "GET", url });
      expect(answer(request, new ServerResponse(request)), url).toBe(true);
    }
  });

  test.skipIf(!hasPromtool)("pods follow the calls and the buffer", () => {
    const [trigger] = find(renderChart(most), "ScaledObject", "oak-oakvoice")["spec"].triggers;
    const { query, threshold } = trigger.metadata;
    const metric = "oakvoice_sessions";
    const exported = readFileSync(join(packageRoot, "src/service/gauges.ts"), "utf8");
    for (const [name] of query.matchAll(/oakvoice_\w+/gu)) expect(exported).toContain(`"${name}"`);
    const folder = temporaryFolder();
    const rules = { groups: [{ name: "keda", rules: [{ record: "pods", expr: `ceil((${query}) / ${threshold})` }] }] };
    const pod = (name: string) => `${metric}{namespace="voice",service="oak-oakvoice-boxes",pod="${name}"}`;
    const draining = (value: 0 | 1) => ({
      series: pod("box-0").replace(metric, "oakvoice_draining"),
      values: `${String(value)}x5`,
    });
    const trial = (calls: readonly number[], pods: number, isDraining: 0 | 1 = 0) => ({
      input_series: [
        ...calls.map((value, index) => ({ series: pod(`box-${String(index)}`), values: `${String(value)}x5` })),
        draining(isDraining),
        { series: `${metric}{namespace="other",service="oak-oakvoice-boxes"}`, values: "1000x5" },
      ],
      promql_expr_test: [{ expr: "pods", eval_time: "1m", exp_samples: [{ labels: "pods", value: pods }] }],
    });
    // 24 calls a pod, 6 free places.
    const tests = [
      trial([], 1),
      trial([18], 1),
      trial([19], 2),
      trial([24, 18], 2),
      trial([24, 24, 1], 3),
      trial([24, 18], 1, 1),
    ];
    writeFileSync(join(folder, "rules.yaml"), stringify(rules));
    writeFileSync(join(folder, "tests.yaml"), stringify({ rule_files: ["rules.yaml"], tests }));
    const { status, stdout, stderr } = promtool(["test", "rules", "tests.yaml"], folder);
    expect(status, stdout + stderr).toBe(0);
  });

  test("a graphics card is a limit beside the others", () => {
    const { resources } = podOf(renderChart(most)).containers[0];
    expect(resources).toMatchObject({ limits: { "nvidia.com/gpu": 1, memory: "4Gi" }, requests: { cpu: "4" } });
  });
});
