import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { get as getSecurely } from "node:https";
import { connect } from "node:net";
import { text as textOf } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../bench/hostile/server-process.ts";
import { clip, silence } from "../support/audio.ts";
import { TestBox } from "../support/box.ts";
import { workerPids } from "../support/worker-pids.ts";
import { makeCertificate } from "../support/certificate.ts";
import { writeSecret } from "../support/redis-server.ts";

let box: TestBox;
const get = async (path: string, headers: Record<string, string> = {}) =>
  fetch(`http://127.0.0.1:${String(box.box.port)}${path}`, { headers });
const metrics = async () => (await get("/metrics")).text();
const CERTIFICATE_END = "oakvoice_certificate_end_timestamp_seconds";
const HOUSE = "config_id: house\nsystem_prompt: Answer briefly.\ntools: [{ builtin: end_call }]\n";
/** A server with TLS, an agent port and a lost store: its metrics, the lines of /readyz and the agent's answer. */
const oneOfAFleet = async () => {
  const tls = makeCertificate();
  const agentPort = await freePort();
  const yaml = [
    `tls: { cert_file: ${tls.cert_file}, key_file: ${tls.key_file} }`,
    `cluster: { url: redis://127.0.0.1:1, secret_file: ${writeSecret()} }`,
    `agent_check_port: ${String(agentPort)}`,
    "",
  ];
  const secure = await TestBox.start({}, yaml.join("\n"));
  const read = async (path: string) => {
    const options = { port: secure.box.port, path, ca: readFileSync(tls.cert_file), agent: false };
    const [response] = (await once(getSecurely("https://127.0.0.1", options), "response")) as [IncomingMessage];
    return Buffer.concat(await response.toArray()).toString();
  };
  const answers = { metrics: await read("/metrics"), ready: (await read("/readyz")).trim().split("\n") };
  const agent = await textOf(connect(agentPort, "127.0.0.1"));
  await secure.close();
  return { ...answers, agent };
};
/** The value of one line of Prometheus' text format. */
const value = (text: string, line: string) => {
  const found = text.split("\n").find((candidate) => candidate.startsWith(`${line} `));
  return found === undefined ? undefined : Number(found.slice(line.length));
};

beforeAll(async () => {
  box = await TestBox.start({ house: HOUSE }, "limits: { audio_burst_seconds: 600, max_connections: 2 }\n");
});
afterAll(async () => box.close());

describe("the server's metrics", () => {
  it("is healthy and ready, and not ready when all calls are taken", async () => {
    expect((await get("/healthz")).status).toBe(200);
    expect(await (await get("/readyz")).text()).toBe("ready\nfree_places: 2\nweight: 100\n");
    const callers = [await box.call(), await box.call({}, "house")];
    const full = await get("/readyz");
    expect([full.status, await full.text()]).toEqual([503, "all 2 calls are taken\nfree_places: 0\nweight: 0\n"]);
    expect(value(await metrics(), "oakvoice_sessions")).toBe(2);
    for (const caller of callers) caller.client.close();
    while ((await get("/readyz")).status !== 200) await sleep(10);
  });

  it("measures each stage of a turn and contains no words", async () => {
    const caller = await box.call();
    caller.client.sendAudio(clip("flite-time.wav"));
    caller.client.sendAudio(silence(1));
    await caller.next("tts_chunk");
    const said = caller.all("turn_end")[0]?.data.transcript ?? "";
    caller.client.close();
    const text = await metrics();
    for (const stage of [
      "stt_final",
      "end_of_turn",
      "llm_first_piece",
      "tts_clause",
      "final_to_text",
      "final_to_speech",
    ])
      expect(value(text, `oakvoice_stage_seconds_count{stage="${stage}"}`), stage).toBeGreaterThanOrEqual(1);
    expect(value(text, `oakvoice_real_time_factor_count{engine="vad"}`)).toBeGreaterThanOrEqual(1);
    expect(value(text, "oakvoice_turns_total")).toBe(1);
    expect(value(text, 'oakvoice_engine_up{engine="speech recognition"}')).toBe(1);
    expect(said).not.toBe("");
    expect(text).not.toContain(said);
  });

  it("declares values that only rise as counters", async () => {
    const types = [...(await metrics()).matchAll(/^# TYPE (oakvoice_\S+) (\S+)$/gmu)].map(([, name = "", type]) => ({
      name,
      type,
    }));
    const counters = types.filter(({ type }) => type === "counter").map(({ name }) => name);
    expect(counters.toSorted()).toEqual([
      "oakvoice_connections_accepted_total",
      "oakvoice_connections_rejected_total",
      "oakvoice_doubtful_turns_total",
      "oakvoice_engine_restarts_total",
      "oakvoice_failures_total",
      "oakvoice_interruptions_total",
      "oakvoice_resumes_total",
      "oakvoice_sockets_ended_total",
      "oakvoice_speculation_total",
      "oakvoice_speculation_wasted_seconds_total",
      "oakvoice_tool_calls_total",
      "oakvoice_turns_total",
    ]);
    const gauges = types.filter(({ type }) => type === "gauge").map(({ name }) => name);
    expect(gauges.toSorted()).toEqual([
      "oakvoice_draining",
      "oakvoice_engine_requests",
      "oakvoice_engine_up",
      "oakvoice_sessions",
      "oakvoice_sessions_parked",
    ]);
  });

  it("contains the end of the certificate when there is one", async () => {
    const inTwoDays = Date.now() / 1000 + 2 * 86_400;
    expect(Math.abs((value((await oneOfAFleet()).metrics, CERTIFICATE_END) ?? 0) - inTwoDays)).toBeLessThan(3_600);
    expect(value(await metrics(), CERTIFICATE_END)).toBeUndefined();
  });

  it("has every metric that dashboard and alerts query, and a box without its store is ready", async () => {
    const fleet = await oneOfAFleet();
    expect(fleet.ready).toEqual(["ready", "free_places: 8", "weight: 100", "cluster: lost"]);
    expect(fleet.agent).toBe("up 100%\n");
    const all = (await metrics()) + fleet.metrics;
    const known = new Set(
      [...all.matchAll(/^# TYPE (\S+) (\S+)$/gmu)].flatMap(([, name = "", type]) =>
        type === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
      ),
    );
    for (const file of ["grafana/oakvoice.json", "prometheus/oakvoice-alerts.yaml"]) {
      const source = readFileSync(new URL(`../../deploy/${file}`, import.meta.url), "utf8");
      const asked = source.match(/\b(?:oakvoice|process|nodejs)_[a-z0-9_]+/gu) ?? [];
      expect(asked.length, file).toBeGreaterThan(5);
      for (const name of asked) expect(known, `${file}: ${name}`).toContain(name);
      // A series that begins with its first event shows Prometheus no increase.
      const selectors = source.matchAll(/(oakvoice_[a-z_]+)\{[^}]*?(\w+)(=~?|!~)\\?"([A-Za-z0-9_.*|]+)\\?"/gu);
      for (const [, name = "", label = "", operator = "", wanted = ""] of selectors) {
        if (operator === "!~") continue;
        for (const choice of wanted.split("|"))
          expect(all, `${file}: ${name}`).toMatch(new RegExp(`^${name}\\{[^}]*${label}="${choice}"`, "mu"));
      }
    }
  });

  it("is not ready while an engine restarts, and counts the restart", async () => {
    for (const pid of workerPids("sherpa-worker")) process.kill(pid, "SIGKILL");
    const states = new Set<string>();
    for (let tries = 0; tries < 400; tries += 1) {
      states.add((await (await get("/readyz")).text()).split("\n")[0] ?? "");
      if (states.size > 1 && [...states].at(-1) === "ready") break;
      if (value(await metrics(), 'oakvoice_engine_restarts_total{engine="speech synthesis model"}') === 1) break;
      await sleep(20);
    }
    expect([...states]).toContain("not running: speech synthesis model");
    expect(value(await metrics(), 'oakvoice_engine_restarts_total{engine="speech synthesis model"}')).toBe(1);
  });

  it("serves metrics to this machine only, and not through a proxy", async () => {
    for (const header of ["x-forwarded-for", "forwarded", "x-forwarded-host", "x-real-ip", "via"])
      expect((await get("/metrics", { [header]: "10.0.0.9" })).status, header).toBe(404);
    expect((await get("/elsewhere")).status).toBe(404);
    expect((await fetch(`http://127.0.0.1:${String(box.box.port)}/healthz`, { method: "POST" })).status).toBe(404);
  });
});
