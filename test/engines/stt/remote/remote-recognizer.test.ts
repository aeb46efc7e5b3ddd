import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { readWav } from "../../../../src/audio/wav.ts";
import { Egress } from "../../../../src/egress/egress.ts";
import { startRemoteRecognition } from "../../../../src/engines/stt/remote/remote-recognizer.ts";
import { silentLog } from "../../../../src/shared/log.ts";
import { systemClock } from "../../../../src/shared/clock.ts";
import { afterTrial, audioServer, formOf } from "../../../support/audio-server.ts";
import { clipSamples } from "../../../support/audio.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";
import { type Answer, answer, ToolServer } from "../../../support/tool-server.ts";
import { VirtualClock } from "../../../support/virtual-clock.ts";

const never = new AbortController().signal;
const time = { samples: clipSamples("flite-time.wav"), kind: "final", language: "en" } as const;
const said = (text: string) => answer(JSON.stringify({ text }));
const html = answer("<html>", { "content-type": "text/html" });

async function recognition(server: ToolServer, keyFile?: string, clock = systemClock) {
  const stt = await startRemoteRecognition({
    remote: { url: `${server.url}v1`, model: "whisper-1", keyFile },
    deadlineSeconds: 30,
    egress: new Egress([server.host], { keepsConnections: true }),
    log: silentLog,
    clock,
  });
  onTestFinished(() => stt.close());
  return stt;
}

async function serving(...answers: readonly Answer[]): Promise<ToolServer> {
  const server = await ToolServer.start(afterTrial(said(""), answers));
  onTestFinished(() => server.close());
  return server;
}

it("a real recogniser on a server hears the words at their times", async () => {
  const stt = await recognition(await audioServer());
  const { text, words } = await stt.open().transcribe(time, never);
  expect(text.toLowerCase()).toMatch(/what time is it/u);
  expect(words.at(-1)?.end).toBeLessThanOrEqual(time.samples.length / 16_000);
  expect(stt.health.state).toBe("ready");
});

it("sends a WAV file of at least a second at 16 kHz, the model, the language and the key", async () => {
  const key = join(temporaryFolder(), "stt.key");
  writeFileSync(key, "secret\n", { mode: 0o600 });
  const server = await serving(said("Yes."));
  const stt = await recognition(server, key);
  await stt.open().transcribe({ ...time, samples: time.samples.subarray(0, 4_000), language: "de" }, never);
  const received = server.requests.at(-1)!;
  const form = await formOf(received);
  const { samples, sampleRateHz } = readWav(await (form.get("file") as File).bytes());
  expect([samples.length >= 16_000, sampleRateHz]).toEqual([true, 16_000]);
  expect([form.get("model"), form.get("language")]).toEqual(["whisper-1", "de"]);
  expect([received.path, received.headers["authorization"]]).toEqual(["/v1/audio/transcriptions", "Bearer secret"]);
});

it("sends phrases as a prompt, and no prompt without them", async () => {
  const server = await serving(said("Yes."), said("Yes."));
  const recognizer = (await recognition(server)).open();
  await recognizer.transcribe({ ...time, phrases: ["Dr. Novak", "Quenby"] }, never);
  expect((await formOf(server.requests.at(-1)!)).get("prompt")).toBe("Dr. Novak, Quenby.");
  await recognizer.transcribe(time, never);
  expect((await formOf(server.requests.at(-1)!)).has("prompt")).toBe(false);
});

describe("a server", () => {
  it.each<[string, Answer, RegExp]>([
    ["that refuses the key", answer("{}", {}, 401), /refuses the key \(status 401\): check models\.stt\.key_file/u],
    ["without the model", answer("{}", {}, 404), /does not know the model "whisper-1".*check models\.stt\.model/u],
    ["that refuses the file", answer("{}", {}, 413), /refuses the request \(status 413\): check models\.stt\.$/u],
    ["that answers with a page", html, /something else than a transcription: check models\.stt\.url/u],
    ["that answers 10 MB", answer("x".repeat(10_000_000)), /more than 1048576 bytes/u],
  ])("%s is an error for the operator, and is not asked again", async (_, wrong, message) => {
    const server = await serving(wrong);
    const stt = await recognition(server);
    const error = { code: "ENGINE_UNAVAILABLE", message: expect.stringMatching(message) as string };
    // Longer than the clips that try the server.
    const timer = { ...time, samples: clipSamples("flite-timer.wav") };
    await expect(stt.open().transcribe(timer, never)).rejects.toMatchObject(error);
    const clips = server.requests.filter(({ bytes }) => bytes.length > 2 * timer.samples.length);
    expect(clips).toHaveLength(1);
  });

  it.each<[string, Answer]>([
    ["that fails", answer("{}", {}, 500)],
    ["that breaks off", (response) => void response.destroy()],
    ["that is busy", answer("{}", { "retry-after": "0" }, 429)],
  ])("%s is asked again for a final transcript", async (_, wrong) => {
    const stt = await recognition(await serving(wrong, said("Yes.")));
    expect((await stt.open().transcribe(time, never)).text).toBe("Yes.");
  });

  it("that is busy drops a partial transcript", async () => {
    const server = await serving(answer("{}", { "retry-after": "0" }, 429));
    const stt = await recognition(server);
    const partial = stt.open().transcribe({ ...time, kind: "partial" }, never);
    await expect(partial).rejects.toMatchObject({ code: "STT_BUSY" });
    expect(stt.health.state).toBe("ready");
  });

  it("that stalls is late after the deadline", async () => {
    const clock = new VirtualClock();
    const server = await serving(() => undefined);
    const stt = await recognition(server, undefined, clock);
    const late = stt.open().transcribe(time, never);
    await expect.poll(() => server.requests.length).toBe(2);
    clock.advance(30_000);
    await expect(late).rejects.toMatchObject({ code: "ENGINE_TIMEOUT" });
  });

  it("that stalls does not hold back an abort or a close", async () => {
    const stt = await recognition(await serving(() => undefined));
    const abort = new AbortController();
    const aborted = stt.open().transcribe(time, abort.signal);
    abort.abort();
    await expect(aborted).rejects.toBe(abort.signal.reason);
    const caller = stt.open();
    const closed = caller.transcribe(time, never);
    caller.close();
    await expect(closed).rejects.toMatchObject({ code: "STT_CLOSED" });
    await expect(caller.transcribe(time, never)).rejects.toMatchObject({ code: "STT_CLOSED" });
  });
});

it("a wrong key stops the start with one line", async () => {
  const server = await ToolServer.start(answer("{}", {}, 401));
  onTestFinished(() => server.close());
  await expect(recognition(server)).rejects.toMatchObject({ code: "ENGINE_START_FAILED" });
});
