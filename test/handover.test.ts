import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, test, vi } from "vitest";
import { freePort } from "../bench/hostile/server-process.ts";
import { CALL_HZ } from "../src/audio/format.ts";
import { floatToPcm16 } from "../src/audio/pcm16.ts";
import { resampleAll } from "../src/audio/resampler.ts";
import { readWav } from "../src/audio/wav.ts";
import { voiceAddress } from "../src/client/address.ts";
import { onNode } from "../src/client/node.ts";
import { VoiceClient } from "../src/client/voice-client.ts";
import { packageRoot } from "../src/shared/package-root.ts";
import { Caller } from "./support/box.ts";
import { SocketKeeper } from "./support/socket-keeper.ts";

function question(): Buffer {
  const { samples, sampleRateHz } = readWav(readFileSync(join(packageRoot, "scripts", "talk-sample.wav")));
  const wire = resampleAll(samples, sampleRateHz, CALL_HZ);
  const pcm = Buffer.alloc(wire.length * 2 + 2 * CALL_HZ * 2);
  floatToPcm16(wire, pcm);
  return pcm;
}

/** Connects and hangs up, one call after the other, until it is stopped. Returns the ids in order. */
function callInALoop(address: (id: string) => string) {
  const ids: string[] = [];
  let isOver = false;
  const loop = async () => {
    while (!isOver) {
      const client = new VoiceClient({ address, ...onNode(), reconnect: false, keepAliveMs: 0 });
      await client.connect();
      ids.push(client.connectionId ?? "");
      client.close();
    }
    return ids;
  };
  const looping = loop();
  looping.catch(() => undefined);
  return {
    ids,
    stop: () => {
      isOver = true;
      return looping;
    },
  };
}

const idsOf = (lines: readonly Record<string, unknown>[]) => lines.map(({ connection }) => connection);
/** Engines of a server that hold its listening socket. */
function enginesWithSocket(pid: number): string[] {
  const socket = readlinkSync(`/proc/${String(pid)}/fd/3`);
  const engines = readFileSync(`/proc/${String(pid)}/task/${String(pid)}/children`, "utf8")
    .split(" ")
    .filter(Boolean);
  expect(engines.length).toBeGreaterThanOrEqual(3);
  return engines.filter((engine) =>
    readdirSync(`/proc/${engine}/fd`).some((name) => {
      const link = `/proc/${engine}/fd/${name}`;
      return existsSync(link) && readlinkSync(link) === socket;
    }),
  );
}

test.skipIf(process.platform !== "linux")(
  "a new server takes the calls of its port, the old one ends after its last call, and no caller is refused",
  { timeout: 180_000 },
  async () => {
    await using keeper = await SocketKeeper.open();
    const address = voiceAddress({
      base: `ws://127.0.0.1:${String(keeper.port)}`,
      apiKey: keeper.key,
      configId: "default",
    });
    const agentPort = await freePort();
    const yaml = `agent_check_port: ${String(agentPort)}\n`;
    const old = await keeper.start(yaml);
    expect(enginesWithSocket(old.pid)).toEqual([]);
    const talking = new Caller(address, {});
    await talking.client.connect();

    const loop = callInALoop(address);
    const renewed = await keeper.start(yaml);
    expect(renewed.logged("agent_check_port")).toHaveLength(1);
    const before = loop.ids.length;
    await vi.waitUntil(() => renewed.logged("accepted").length > 2 && loop.ids.length > before, { timeout: 20_000 });
    process.kill(old.pid, "SIGUSR2");
    await vi.waitUntil(() => old.logged("a new version takes").length === 1, { timeout: 20_000 });
    const since = loop.ids.length + 1;
    await talking.speak(question());
    await talking.next("tts_chunk");
    await vi.waitUntil(() => loop.ids.length > since + 10, { timeout: 60_000 });
    const ids = await loop.stop();

    const late = ids.slice(since);
    expect(late.length).toBeGreaterThan(10);
    expect(idsOf(renewed.logged("accepted"))).toEqual(expect.arrayContaining(late));
    const ofOld = idsOf(old.logged("accepted"));
    expect(late.filter((id) => ofOld.includes(id))).toEqual([]);
    // The old call was answered, and nothing but its caller ends it.
    expect(talking.closed).toBeUndefined();
    expect(old.hasEnded()).toBe(false);
    // The new server has the agent's port too, and no call.
    const agent = () => text(connect(agentPort, "127.0.0.1")).catch(() => "");
    await vi.waitUntil(async () => (await agent()) === "up 100%\n", { timeout: 20_000, interval: 100 });
    talking.client.close();
    await vi.waitUntil(() => old.hasEnded(), { timeout: 20_000 });
    expect(old.logged("stopping")).toEqual([expect.objectContaining({ signal: "SIGUSR2" })]);
    expect(renewed.hasEnded()).toBe(false);
  },
);

test.skipIf(process.platform !== "linux")(
  "a server that SIGTERM drains leaves new connections to another one on the same socket",
  { timeout: 180_000 },
  async () => {
    await using keeper = await SocketKeeper.open();
    const base = `ws://127.0.0.1:${String(keeper.port)}`;
    const old = await keeper.start("limits: { drain: calls, drain_timeout_seconds: 600 }\n");
    const talking = new Caller(voiceAddress({ base, apiKey: keeper.key, configId: "default" }), {});
    await talking.client.connect();
    const draining = new Promise((resolve) =>
      talking.client.on("status", ({ status }) => {
        if (status === "draining") resolve(status);
      }),
    );
    process.kill(old.pid, "SIGTERM");
    await draining;
    await keeper.start();
    for (let asked = 0; asked < 20; asked += 1)
      expect((await fetch(`http://127.0.0.1:${String(keeper.port)}/readyz`)).status).toBe(200);
    talking.client.close();
    await vi.waitUntil(() => old.hasEnded(), { timeout: 20_000 });
  },
);
