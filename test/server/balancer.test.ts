import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { startAgentCheck } from "../../src/server/http/agent-check.ts";
import { agentAnswer, readinessOf } from "../../src/server/readiness.ts";
import { silentLog } from "../../src/shared/log.ts";
import { hasHaproxy, startBalancer } from "../support/haproxy.ts";
import { startWireServer, WireClient, type WireTestOptions } from "./support.ts";

const PLACES = 2;

/** A server with two places, and its agent. */
async function startBox(limits: WireTestOptions["limits"] = { refuse_before_upgrade: true }) {
  const box = await startWireServer({ limits: { max_connections: PLACES, ...limits } });
  const state: { fault?: string; checks: number } = { checks: 0 };
  const answer = () => {
    state.checks += 1;
    return agentAnswer(readinessOf(box.server.stats(), PLACES, state.fault));
  };
  const agent = await startAgentCheck({ host: "127.0.0.1", port: 0, answer, log: silentLog });
  onTestFinished(() => agent.close());
  return { ...box, state, agent, port: box.server.port, agentPort: agent.port ?? 0 };
}

type Boxes = readonly Awaited<ReturnType<typeof startBox>>[];
const callsOf = (boxes: Boxes) => boxes.map(({ server }) => server.stats().connections);

async function startFleet(count = 2, limits: WireTestOptions["limits"] = {}) {
  const all = { refuse_before_upgrade: true, ...limits };
  const boxes = await Promise.all(Array.from({ length: count }, () => startBox(all)));
  const balancer = await startBalancer(boxes);
  await vi.waitUntil(async () => {
    const states = await balancer.states().catch(() => []);
    return states.filter(({ agent }) => agent === "L7OK").length === count;
  });
  const token = await boxes[0]!.token();
  const call = () => {
    const query = new URLSearchParams({ authorization: `Bearer ${token}`, config_id: "default" }).toString();
    return new WireClient(`${balancer.url}/ws/voice/${crypto.randomUUID()}?${query}`);
  };
  const accepted = async () => {
    const client = call();
    await client.next("connection_metadata");
    return client;
  };
  /** A call at each box. The rule alone may give one box both. */
  const oneEach = async () => {
    const clients: WireClient[] = [];
    for (const only of boxes.keys()) {
      for (const index of boxes.keys())
        await balancer.command(`set server boxes/box${String(index)} state ${index === only ? "ready" : "maint"}`);
      clients.push(await accepted());
    }
    for (const index of boxes.keys()) await balancer.command(`set server boxes/box${String(index)} state ready`);
    return clients;
  };
  return { boxes, balancer, call, accepted, oneEach };
}

describe("a full server", () => {
  test("answers 503 with Retry-After before the upgrade when the setting says so", async () => {
    const box = await startBox();
    await box.connectReady();
    await box.connectReady();
    const refused = new WireClient(box.urlOf({ api_key: box.key, config_id: "default" }));
    const [, response] = (await once(refused.socket, "unexpected-response")) as [
      unknown,
      Response & { headers: object },
    ];
    expect(response).toMatchObject({ statusCode: 503, headers: { "retry-after": "1" } });
    expect(box.server.stats().rejected["SERVER_BUSY"]).toBe(1);
  });

  test("refuses handshakes that come together beyond its places", async () => {
    const box = await startBox();
    const clients = Array.from({ length: 5 }, () => box.connect());
    const outcomes = await Promise.all(
      clients.map(({ opened }) =>
        opened.then(
          () => 101,
          () => 503,
        ),
      ),
    );
    expect(outcomes.filter((status) => status === 101)).toHaveLength(PLACES);
  });

  test("sends SERVER_BUSY after the upgrade by default", async () => {
    const box = await startBox({});
    await box.connectReady();
    await box.connectReady();
    const refused = box.connect();
    expect((await refused.nextError()).error_code).toBe("SERVER_BUSY");
  });

  test("takes a caller again when a refused key has gone", async () => {
    const box = await startBox();
    for (let tries = 0; tries < 3; tries += 1)
      expect((await box.connect({ api_key: "oak_wrong", config_id: "default" }).nextError()).error_code).toBe(
        "INVALID_API_KEY",
      );
    await box.connectReady();
    await box.connectReady();
  });
});

describe("the agent's port", () => {
  const answerOf = (port: number) => text(connect(port, "127.0.0.1"));

  test("answers one line with the weight and ends the connection", async () => {
    const box = await startBox();
    expect(await answerOf(box.agentPort)).toBe("up 100%\n");
    await box.connectReady();
    expect(await answerOf(box.agentPort)).toBe("up 50%\n");
  });

  test("a client that sends without end is cut", async () => {
    const box = await startBox();
    const socket = connect(box.agentPort, "127.0.0.1");
    socket.write(Buffer.alloc(1_000_000));
    expect(await text(socket).catch(() => "reset")).toMatch(/^(?:up 100%\n|reset)$/u);
  });

  test("a port that another process has is taken when it is free", async () => {
    const box = await startBox();
    const answer = () => "up 7%\n";
    const next = await startAgentCheck({ host: "127.0.0.1", port: box.agentPort, answer, log: silentLog });
    onTestFinished(() => next.close());
    expect(next.port).toBeUndefined();
    await box.agent.close();
    await vi.waitUntil(() => next.port !== undefined, { timeout: 10_000 });
    expect(await answerOf(box.agentPort)).toBe("up 7%\n");
  });
});

describe.skipIf(!hasHaproxy)("boxes behind Debian's HAProxy", () => {
  test("HAProxy fills all places of all boxes, and only then a caller is refused", async () => {
    const { boxes, call, accepted } = await startFleet(3);
    await Promise.all(Array.from({ length: 3 * PLACES }, () => accepted()));
    expect(callsOf(boxes)).toEqual([PLACES, PLACES, PLACES]);
    const refused = call();
    const [, response] = (await once(refused.socket, "unexpected-response")) as [unknown, object];
    expect(response).toMatchObject({ statusCode: 503 });
  });

  test("weights follow the free places", async () => {
    const { boxes, balancer } = await startFleet();
    await boxes[0]!.connectReady();
    await vi.waitUntil(async () => (await balancer.states())[0]?.weight === 50, 10_000);
    await boxes[0]!.connectReady();
    await vi.waitUntil(async () => (await balancer.states())[0]?.weight === 1, 10_000);
    expect((await balancer.states())[1]).toMatchObject({ status: "no check", weight: 100 });
  });

  test("a box without an engine gets no calls, keeps those that it has, and comes back", async () => {
    const { boxes, balancer, accepted, oneEach } = await startFleet();
    const clients = await oneEach();
    expect(callsOf(boxes)).toEqual([1, 1]);
    boxes[0]!.state.fault = "not running: language model";
    await vi.waitUntil(async () => (await balancer.states())[0]?.status.startsWith("DOWN"), 10_000);
    await accepted();
    expect(callsOf(boxes)).toEqual([1, 2]);
    for (const client of clients) await client.settled();
    delete boxes[0]!.state.fault;
    await vi.waitUntil(async () => (await balancer.states())[0]?.status === "no check", 10_000);
    await accepted();
    expect(callsOf(boxes)).toEqual([2, 2]);
  });

  test("a box drains for hours: its calls go on, new calls go to the other one, and none is lost", async () => {
    const { boxes, balancer, accepted, oneEach } = await startFleet(2, {
      drain: "calls",
      drain_timeout_seconds: 7_200,
    });
    const clients = await oneEach();
    const closing = boxes[0]!.server.close();
    // Before and after HAProxy knows: a 503 before the upgrade is tried again at the other box.
    clients.push(await accepted());
    await vi.waitUntil(async () => (await balancer.states())[0]?.weight === 0, 10_000);
    expect(callsOf(boxes)).toEqual([1, 2]);
    for (const client of clients) await client.settled();
    for (const client of clients) client.socket.close();
    await closing;
  });

  test("a server that the operator took out of service stays out", async () => {
    const { boxes, balancer, accepted } = await startFleet();
    await balancer.command("set server boxes/box0 state maint");
    const { state } = boxes[0]!;
    const before = state.checks;
    await vi.waitUntil(() => state.checks > before + 2, { timeout: 10_000 });
    await accepted();
    await accepted();
    expect((await balancer.states())[0]?.status).toBe("MAINT");
    expect(callsOf(boxes)).toEqual([0, 2]);
  });
});
