import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { packageRoot } from "../../src/shared/package-root.ts";
import type { ConversationReport } from "./fixtures/one-conversation.ts";
import { findEgress, tracedTasks } from "./network-trace.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folder = temporaryFolder();

const conversation = [
  process.execPath,
  "--import",
  "tsx",
  fileURLToPath(new URL("fixtures/one-conversation.ts", import.meta.url)),
];
const LOOPBACK_ONLY = "ip link set lo up";
/** A network without a route to other machines, which counts the packets that are sent into it. */
const BLACK_HOLE = [
  LOOPBACK_ONLY,
  "echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6",
  "ip link add out0 type veth peer name hole0",
  "ip address add 192.0.2.2/24 dev out0",
  "ip link set hole0 up",
  "ip link set out0 arp off up",
  "ip route add default via 192.0.2.1",
].join(" && ");
/** In the network of the black hole. */
const TOOL_URL = "https://192.0.2.7/mcp";
const SENT = "cat /sys/class/net/out0/statistics/tx_packets";

/** Runs `command` in a new network namespace that `network` sets up. Returns its standard output and the output of `after`. */
function runApart(network: string, command: readonly string[], after = "true", environment: NodeJS.ProcessEnv = {}) {
  // sysfs shows the namespace that mounted it.
  const script = `mount -t sysfs none /sys && ${network} && "$@"; status=$?; ${after}; exit $status`;
  // A process namespace ends all processes that were started in it.
  const apart = ["--map-root-user", "--net", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child"];
  const { status, stdout, stderr } = spawnSync("unshare", [...apart, "sh", "-c", script, "sh", ...command], {
    encoding: "utf8",
    cwd: packageRoot,
    env: { ...process.env, ...environment },
    timeout: 50_000,
  });
  return { status, stdout, stderr, report: () => JSON.parse(stdout.split("\n")[0] ?? "") as ConversationReport };
}

let traces = 0;
/** Runs the command with a trace of its network calls, and returns the findings. */
function watched() {
  traces += 1;
  const file = join(folder, `trace-${String(traces)}`);
  const options = ["-f", "--seccomp-bpf", "-s", "0", "-e", "trace=%network,io_uring_setup", "-e", "signal=none"];
  return { strace: ["strace", ...options, "-o", file], trace: () => readFileSync(file, "utf8") };
}

const probe = watched();
const missing = [
  [runApart(BLACK_HOLE, ["true"]).status, "a network namespace (unshare, ip, and the right to use them)"],
  [spawnSync(probe.strace[0] ?? "", [...probe.strace.slice(1), "true"]).status, "strace, and the right to use it"],
].flatMap(([status, what]) => (status === 0 ? [] : [what]));
if (missing.length > 0) process.stderr.write(`no egress: SKIPPED, missing: ${missing.join(" and ")}\n`);

describe.skipIf(missing.length > 0)("no egress", () => {
  const wholeConversation = {
    transcript: expect.stringMatching(/time.*timer/u) as string,
    exitCode: 0,
  };

  it("a whole conversation works without a network, and no process of the server tries to connect", () => {
    const { strace, trace } = watched();
    const run = runApart(LOOPBACK_ONLY, [...conversation, ...strace]);
    expect(run.status, run.stderr).toBe(0);
    const report = run.report();
    expect(report).toMatchObject({ ...wholeConversation, interfaces: ["lo"], outside: "ENETUNREACH" });
    expect(report.emotions).toBeGreaterThan(0);
    expect(report.reply).not.toBe("");
    expect(report.speechSeconds).toBeGreaterThan(0.5);
    // The server and a child for each of recognition, language and speech, with their threads.
    expect(tracedTasks(trace())).toBeGreaterThan(20);
    expect(findEgress(trace())).toEqual([]);
  });

  it("no packet is sent when a network is available", () => {
    const run = runApart(BLACK_HOLE, conversation, SENT);
    expect(run.status, run.stderr).toBe(0);
    expect(run.report()).toMatchObject({ ...wholeConversation, outside: "no answer" });
    // The conversation tries one connection to another machine. Its SYN shows that the counter works.
    expect(Number(run.stdout.trim().split("\n").at(-1))).toBe(1);
  });

  it("a tool whose host is not allowed stops the start, and nothing is sent", () => {
    const voices = temporaryFolder();
    const tools = [{ mcp: { url: TOOL_URL, tools: ["book_table"] } }];
    writeFileSync(
      join(voices, "desk.json"),
      JSON.stringify({ config_id: "desk", system_prompt: "You are Oak.", tools }),
    );
    const { strace, trace } = watched();
    const start = [process.execPath, join(packageRoot, "dist", "src", "main.js"), "--port", "0"];
    const environment = { OAKVOICE_VOICES_DIR: voices, OAKVOICE_DATA_DIR: temporaryFolder() };
    const run = runApart(BLACK_HOLE, [...strace, ...start], SENT, environment);
    expect(run.status).toBe(1);
    expect(run.stderr).toMatch(
      /desk\.json: tools\.0\.mcp: 192\.0\.2\.7 is not in egress\.allowed_hosts\. Add "192\.0\.2\.7" to egress\.allowed_hosts/u,
    );
    expect(tracedTasks(trace())).toBeGreaterThan(0);
    expect(findEgress(trace())).toEqual([]);
    expect(run.stdout.trim()).toBe("0");
  });

  it("with one allowed host, only that host is tried, and no proxy of the environment", () => {
    const { strace, trace } = watched();
    const proxy = "http://192.0.2.99:3128";
    const proxies = {
      HTTP_PROXY: proxy,
      HTTPS_PROXY: proxy,
      ALL_PROXY: proxy,
      https_proxy: proxy,
      NODE_USE_ENV_PROXY: "1",
    };
    const run = runApart(BLACK_HOLE, [...conversation, ...strace], "true", { TOOL_URL, ...proxies });
    expect(run.status, run.stderr).toBe(0);
    expect(run.report()).toMatchObject(wholeConversation);
    const tried = findEgress(trace());
    expect(tried.length).toBeGreaterThan(0);
    const isAllowed = (call: string) =>
      /^an address beyond this machine: \d+ +connect\(\d+, \{sa_family=AF_INET, sin_port=htons\(443\), sin_addr=inet_addr\("192\.0\.2\.7"\)\}/u.test(
        call,
      );
    expect(tried.filter((call) => !isAllowed(call))).toEqual([]);
  });

  it.each([
    ["a connection", 'require("node:net").connect(443, "192.0.2.1").on("error", () => {})'],
    ["a connection by IPv6", 'require("node:net").connect(443, "2001:db8::1").on("error", () => {})'],
    ["a look-up of a name", 'require("node:dns").lookup("oakvoice.invalid", () => {})'],
    ["a look-up by a resolver here", 'const d = new (require("node:dns").Resolver)({ timeout: 50, tries: 1 }); d.setServers(["127.0.0.1"]); d.resolve4("oakvoice.invalid", () => {})'],
    ["a datagram", 'const u = require("node:dgram").createSocket("udp4"); u.send("x", 9, "192.0.2.1", () => u.close())'],
    ["a connection by a child's child", 'require("node:child_process").execSync("bash -c \'exec 3<>/dev/tcp/192.0.2.1/443\' || true", { stdio: "ignore" })'],
  ])("the trace records %s", (_, code) => {
    const { strace, trace } = watched();
    expect(runApart(LOOPBACK_ONLY, [...strace, process.execPath, "-e", code]).stderr).toBe("");
    expect(findEgress(trace())).not.toEqual([]);
  }); // prettier-ignore
});
