import { gzipSync } from "node:zlib";
import { cp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { loadServerConfig } from "../../../src/config/server-config.ts";
import { doctorCommand } from "../../../src/operator/doctor/doctor.ts";
import { describeReport, type Report } from "../../../src/operator/doctor/report.ts";
import * as chat from "../../support/chat-events.ts";
import { ToolServer } from "../../support/tool-server.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const { config } = loadServerConfig(undefined, {});

test("the doctor loads and measures every engine, as text and as JSON", async () => {
  const report = JSON.parse(await doctorCommand(["--json"], config)) as Report;
  for (const [key, value] of Object.entries(report.timings))
    if (key.endsWith("Ms")) expect(value, key).toBeGreaterThan(0);
  expect(report.memory).toHaveLength(4);
  expect(report.memory.every(({ residentMb }) => residentMb > 1)).toBe(true);
  expect(describeReport(report)).toMatch(/speech recognition .* MB\n[^]*callers? at once/u);
  const text = describeReport(report);
  expect(text).toMatch(
    /^threads, \d+ cores?: recognition 1 thread x \d lanes?, language model 1 thread, speech 1 thread$/mu,
  );
  expect(text).toMatch(/^memory: [\d.]+ GB needed, [\d.]+ GB free \(.* cache for 8 calls of 2048 tokens .*\)$/mu);
  expect(text).toMatch(/^profile: starter; this machine is large enough for [a-z-]+/mu);
  expect(report.endOfTurnMs).toBeGreaterThan(0);
  expect(describeReport(report)).toMatch(/^end of turn +\d+\.\d s +[\d.]+ ms/mu);
});

test("the doctor's memory plan counts the speaker encoder of a configuration", async () => {
  const { withRemote } = await remoteModel();
  const voicesDir = temporaryFolder();
  await writeFile(join(voicesDir, "ward.yaml"), "config_id: ward\nsystem_prompt: You are Oak.\nonly_my_caller: true\n");
  expect(await doctorCommand([], { ...withRemote, voicesDir })).toMatch(/^memory: .*; speaker recognition 0\.1 GB;/mu);
});

/** A language model on another machine takes no time of the processor here. */
async function remoteModel() {
  const server = await ToolServer.start((response, received) => {
    const isReply = received.body.includes('"stream":true');
    (isReply ? chat.stream(chat.text("Well,"), chat.text(" yes."), chat.stop) : chat.token)(response, received);
  });
  onTestFinished(() => server.close());
  const remote = { url: `${server.url}v1`, model: "big", keyFile: undefined, extraBody: {} };
  const models = { ...config.models, llm: { ...config.models.llm, path: "", remote } };
  return { server, withRemote: { ...config, models, egress: { allowed_hosts: [server.host] } } };
}

test("the doctor names the engine that does not start", async () => {
  const { withRemote } = await remoteModel();
  const models = { ...withRemote.models, stt: { ...config.models.stt, path: "/nowhere/ggml.bin" } };
  const command = doctorCommand([], { ...withRemote, models }, () => undefined);
  await expect(command).rejects.toThrow(/speech recognition.*\/nowhere\/ggml\.bin/u);
  await expect(doctorCommand(["--jsn"], config)).rejects.toMatchObject({ code: "USAGE" });
});

test("a broken voice and a server that is down are reported beside the other engines, and no number is infinite", async () => {
  const { server, withRemote } = await remoteModel();
  await server.close();
  const dir = temporaryFolder();
  await cp(config.models.tts.dir, dir, { recursive: true });
  await writeFile(join(dir, "lexicon.txt.gz"), gzipSync(""));
  const models = { ...withRemote.models, tts: { ...config.models.tts, dir } };
  let json = "";
  const command = doctorCommand(["--json"], { ...withRemote, models }, (text) => (json = text));
  await expect(command).rejects.toThrow(/The language model server at 127\.0\.0\.1:\d+ cannot be reached/u);
  const report = describeReport(JSON.parse(json) as Report);
  expect(report).toMatch(/^speech synthesis +not loaded/mu);
  expect(report).toMatch(/^speech recognition +[\d.]+ s +\d+/mu);
  expect(report).toMatch(/^! .*lexicon\.txt\.gz holds no words/mu);
  expect(report).toMatch(/^! The language model server at/mu);
  expect(report).toMatch(/^no callers/mu);
  expect(report).not.toMatch(/Infinity|NaN|undefined/u);
  expect((JSON.parse(json) as Report).faults.join()).toMatch(/speech synthesis.*lexicon\.txt\.gz holds no words/u);
  expect(json).not.toMatch(/null/u);
});

test("a language model on another machine is measured, a missing end-of-turn model is a finding, and a voice in a language that its speech model does not know is also an error", async () => {
  const { withRemote } = await remoteModel();
  const models = { ...withRemote.models, turn: { ...config.models.turn, path: "/nowhere/turn.onnx" } };
  const voicesDir = temporaryFolder();
  await writeFile(join(voicesDir, "desk.yaml"), "config_id: desk\nsystem_prompt: Du bist Oak.\nlanguage: de\n");
  let report = "";
  const command = doctorCommand([], { ...withRemote, models, voicesDir }, (text) => (report = text));
  await expect(command).rejects.toThrow(
    /^Voice configuration desk: language: the speech model (?![^]*turn\.onnx).* knows en, not de/u,
  );
  expect(report).toMatch(/^! Voice configuration desk: language: /mu);
  expect(report).toMatch(/^end of turn +not loaded/mu);
  expect(report).toMatch(/^! .*\/nowhere\/turn\.onnx.* silence alone/mu);
  expect(report).toMatch(/^language model +[\d.]+ s +[\d.]+ ms, then \d+ tokens\/s/mu);
  expect(report).toMatch(/language model on another machine/u);
  expect(report).toMatch(/callers? at once/u);
});
