import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Agent, request } from "undici";
import { describe, expect, onTestFinished, test } from "vitest";
import { httpEndpoints } from "../../src/server/http/http-endpoints.ts";
import { WireClient, startWireServer, type WireTestOptions } from "../server/support.ts";
import { makeCertificate } from "../support/certificate.ts";
import { checkHaproxyFile, hasHaproxy, startHaproxy } from "../support/haproxy.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** A real server without engines, and whether it is ready. */
async function startBox(limits: WireTestOptions["limits"] = {}) {
  const state = { isReady: true };
  const handleHttp = httpEndpoints({
    notReady: () => (state.isReady ? undefined : "all 8 calls are taken"),
    metrics: { contentType: "text/plain", metrics: () => Promise.resolve("") },
    metricsPublic: true,
  });
  return { ...(await startWireServer({ handleHttp, limits: { drain_timeout_seconds: 0, ...limits } })), state };
}
type Box = Awaited<ReturnType<typeof startBox>>;

const addressOf = ({ server }: Box) => `127.0.0.1:${String(server.port)}`;
const callsOf = (boxes: readonly Box[]) => boxes.map(({ server }) => server.stats().accepted);

/** Two boxes behind HAProxy with TLS. */
async function startFleet(given?: readonly [Box, Box], variables: Parameters<typeof startHaproxy>[0] = {}) {
  const boxes = given ?? ([await startBox(), await startBox()] as const);
  const { cert_file, key_file } = makeCertificate();
  // The names in a Secret of Kubernetes.
  const certificate = join(temporaryFolder(), "tls.crt");
  copyFileSync(cert_file, certificate);
  copyFileSync(key_file, certificate.replace(/crt$/u, "key"));
  const ca = readFileSync(cert_file);
  const balancer = await startHaproxy({
    OAKVOICE_CERT: certificate,
    OAKVOICE_BOX_1: addressOf(boxes[0]),
    OAKVOICE_BOX_2: addressOf(boxes[1]),
    ...variables,
  });
  const token = await boxes[0].token({ permissions: ["say"] });
  const at = `127.0.0.1:${String(balancer.port)}`;
  /** A call that is ready. */
  const connect = async (id: string) => {
    const query = new URLSearchParams({ config_id: "default", authorization: `Bearer ${token}` }).toString();
    const client = new WireClient(`wss://${at}/ws/voice/${id}?${query}`, { ca });
    await client.opened;
    client.sendMessage("session_settings", {});
    await client.next("status");
    return client;
  };
  const dispatcher = new Agent({ connect: { ca } });
  onTestFinished(() => dispatcher.close());
  const status = async (method: "GET" | "POST", path: string) => {
    const headers = { authorization: `Bearer ${token}` };
    const body = method === "POST" ? JSON.stringify({ text: "Your taxi is here." }) : null;
    const response = await request(`https://${at}${path}`, { dispatcher, method, headers, body });
    await response.body.dump();
    return response.statusCode;
  };
  return { boxes, balancer, token, connect, status };
}

describe.skipIf(!hasHaproxy)("deploy/haproxy/haproxy.cfg", () => {
  const box = { OAKVOICE_BOX_1: "127.0.0.1:8787" };

  test.each([
    ["one box", box],
    ["three boxes", { ...box, OAKVOICE_BOX_2: "127.0.0.1:8788", OAKVOICE_BOX_3: "127.0.0.1:8789" }],
    ["a name with several addresses", { OAKVOICE_BOXES: "localhost:8787" }],
    ["agents", { ...box, OAKVOICE_AGENT_PORT: "8790" }],
  ])("HAProxy accepts it with %s", (_case, variables) => {
    expect(checkHaproxyFile(variables)).toEqual({ status: 0, stderr: "" });
  });

  test("HAProxy accepts it with boxes that have TLS", () => {
    expect(checkHaproxyFile({ ...box, OAKVOICE_BOX_CA: makeCertificate().cert_file })).toEqual({
      status: 0,
      stderr: "",
    });
  });

  test("calls are spread, and a call goes to the other box at once when one is gone", async () => {
    const { boxes, connect } = await startFleet();
    const [first, second, third, fourth] = [
      await connect("a"),
      await connect("b"),
      await connect("c"),
      await connect("d"),
    ];
    expect(callsOf(boxes)).toEqual([2, 2]);

    await boxes[0].server.close();
    for (const { closed } of [first, third]) expect(await closed).toEqual({ code: 1001, reason: "SERVER_SHUTDOWN" });
    await connect("e");
    for (const call of [second, fourth]) await call.settled();
    expect(callsOf(boxes)).toEqual([2, 3]);
  });

  test("a box that is not ready gets no calls, and keeps those that it has", async () => {
    const { boxes, balancer, connect } = await startFleet();
    const first = await connect("a");
    await connect("b");
    boxes[0].state.isReady = false;
    await expect.poll(() => balancer.log.join("\n"), { timeout: 10_000 }).toMatch(/Server boxes\/box1 is DOWN/u);
    for (const id of ["c", "d", "e"]) await connect(id);
    await first.settled();
    expect(callsOf(boxes)).toEqual([1, 4]);
  });

  test("a full box refuses before the upgrade, and the call goes to the other box", async () => {
    const places = { max_connections: 1, refuse_before_upgrade: true };
    const boxes = [
      await startBox(places),
      await startBox({ max_connections: 3, refuse_before_upgrade: true }),
    ] as const;
    const { connect, balancer, status } = await startFleet(boxes, { OAKVOICE_AGENT_PORT: "9" });
    for (const id of ["a", "b", "c", "d"]) await connect(id);
    expect(callsOf(boxes)).toEqual([1, 3]);
    for (const id of ["a", "b", "c", "d"]) expect(await status("POST", `/v1/calls/${id}/say`)).toBe(202);
    await expect(connect("e")).rejects.toThrow("503");
    expect(balancer.log.join("\n")).not.toContain("DOWN");
  });

  test("a text for an open call reaches the box that has the call", async () => {
    const { boxes, connect, status } = await startFleet();
    for (const id of ["a", "b"]) await connect(id);
    for (const id of ["a", "a", "b", "b"]) expect(await status("POST", `/v1/calls/${id}/say`)).toBe(202);
    expect(boxes.map(({ sessions }) => sessions.map(({ commands }) => commands.length))).toEqual([[2], [2]]);
  });

  test("a text reaches the box of its call also when that box takes no new calls", async () => {
    const { boxes, balancer, connect, status } = await startFleet();
    for (const id of ["a", "b"]) await connect(id);
    boxes[0].state.isReady = false;
    await expect.poll(() => balancer.log.join("\n"), { timeout: 10_000 }).toMatch(/Server boxes\/box1 is DOWN/u);
    for (const id of ["a", "b"]) expect(await status("POST", `/v1/calls/${id}/say`)).toBe(202);
  });

  test("the log has no query and no key, and probes and metrics of the boxes are hidden", async () => {
    const { balancer, token, connect, status } = await startFleet();
    (await connect("secret-caller")).socket.close();
    expect(await status("GET", "/ws/media-stream/default/oak_secret-key?api_key=secret")).toBe(426);
    for (const path of ["/metrics", "/readyz", "/healthz"]) expect(await status("GET", path)).toBe(404);
    expect(await status("GET", "/balancer")).toBe(200);
    await expect.poll(() => balancer.log.join("\n")).toMatch(/ 101 .* GET \/ws\/voice$/mu);
    await expect.poll(() => balancer.log.join("\n")).toMatch(/ GET \/ws\/media-stream$/mu);
    const log = balancer.log.join("\n");
    for (const secret of [token, "secret", "authorization", "?"]) expect(log).not.toContain(secret);
  });

  test("HAProxy's own metrics are on a port of their own", async () => {
    const { balancer } = await startFleet();
    const response = await fetch(`http://127.0.0.1:${String(balancer.operations)}/metrics`);
    expect(await response.text()).toContain('haproxy_server_status{proxy="boxes",server="box2",state="UP"} 1');
  });
});
