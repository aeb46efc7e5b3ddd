import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { WireFormat } from "../../src/audio/wire-audio.ts";
import { clip, silence } from "../support/audio.ts";
import { TestBox } from "../support/box.ts";
import { asteriskJson, asteriskPlain, Phone, twilio, type PhoneDialect } from "../support/phone.ts";
import { asPhoneAudio, phoneLevel } from "../support/phone-audio.ts";

/** Telephone systems that speak their protocols in real time, against the running service with the starter models. */
const GREETER = `
config_id: greeter
system_prompt: You are Oak, a friendly voice assistant. Answer in one to three short spoken sentences.
greeting: Hello, this is Oak, the assistant of the house. You can ask me about the time, about the lights, or about the weather.
temperature: 0
telephone: { hang_up_key: "0", variables: { caller: "The caller's name is {}." } }
`;

let box: TestBox;
beforeAll(async () => {
  box = await TestBox.start({ greeter: GREETER });
});
afterAll(() => box.close());

const ULAW: WireFormat = { encoding: "ulaw", sampleRateHz: 8_000 };
const SLIN24: WireFormat = { encoding: "pcm16", sampleRateHz: 24_000 };

/** `whenFinished`: a concurrent test gives its own. */
function call(
  path: string,
  dialect: PhoneDialect,
  query: Readonly<Record<string, string>> = {},
  whenFinished: (hangUp: () => void) => void = onTestFinished,
): Phone {
  const phone = new Phone(box.phoneUrl(path, query), dialect);
  whenFinished(() => phone.hangUp());
  return phone;
}

const quiet = async (phone: Phone) => {
  await phone.until(() => !phone.isPlaying && performance.now() - phone.lastPlayedMs > 700, "the reply ended");
};

/** Asks for the time and waits for the whole reply. */
async function ask(phone: Phone, format: WireFormat): Promise<void> {
  const before = phone.played.length;
  await phone.speak(asPhoneAudio(Buffer.concat([silence(0.3), clip("flite-time.wav"), silence(1)]), format));
  // The line stays open: a telephone sends silence, or nothing at all.
  await phone.until(() => phone.played.length > before + 20, "the reply");
  await quiet(phone);
  const reply = phone.played.slice(before);
  expect(phoneLevel(reply, format)).toBeGreaterThan(0.005);
  expect(phone.unknown).toEqual([]);
}

const systems: readonly (readonly [string, string, PhoneDialect, WireFormat])[] = [
  ["/ws/asterisk", "slin24, JSON", asteriskJson("slin24", 960), SLIN24],
  ["/ws/asterisk", "slin24, text", asteriskPlain("slin24", 960), SLIN24],
  ["/ws/asterisk", "slin16", asteriskJson("slin16", 640), { encoding: "pcm16", sampleRateHz: 16_000 }],
  ["/ws/asterisk", "slin", asteriskPlain("slin", 320), { encoding: "pcm16", sampleRateHz: 8_000 }],
  ["/ws/asterisk", "ulaw", asteriskJson("ulaw", 160), ULAW],
  ["/ws/asterisk", "alaw", asteriskPlain("alaw", 160), { encoding: "alaw", sampleRateHz: 8_000 }],
  ["/ws/media-stream", "Twilio", twilio(), ULAW],
];

test.concurrent.for(systems)(
  "%s, %s: a question over the telephone is answered",
  async (system, { onTestFinished: whenFinished }) => {
    const [path, , dialect, format] = system;
    const phone = call(path, dialect, {}, whenFinished);
    await ask(phone, format);
    if (path === "/ws/asterisk") expect(phone.commands[0]).toBe("answer");
    expect(phone.commands).not.toContain("flush");
  },
);

test("a caller who interrupts the greeting stops the playback, and the rest is flushed", async () => {
  const phone = call("/ws/asterisk", asteriskJson("ulaw", 160), { config_id: "greeter" });
  await phone.until(() => phone.playedMs > 1200, "the greeting");
  const spoken = performance.now();
  await phone.speak(asPhoneAudio(Buffer.concat([clip("flite-stop.wav"), silence(0.8)]), ULAW));
  await phone.until(() => phone.commands.includes("flush"), "the flush");
  expect(phone.silentSinceMs - spoken).toBeLessThan(1_000);
});

test("back-channels do not stop the greeting", async () => {
  const phone = call("/ws/asterisk", asteriskJson("slin24", 960), { config_id: "greeter" });
  await phone.until(() => phone.playedMs > 800, "the greeting");
  await phone.speak(asPhoneAudio(Buffer.concat([clip("flite-yeah.wav"), silence(1)]), SLIN24));
  await quiet(phone);
  expect(phone.commands).not.toContain("flush");
  expect(phone.playedMs).toBeGreaterThan(5_000);
  expect(phone.commands.filter((command) => command === "pause")).toHaveLength(
    phone.commands.filter((command) => command === "continue").length,
  );
});

test("pressed keys stop the greeting and are answered", async () => {
  const phone = call("/ws/asterisk", asteriskPlain("slin", 320), { config_id: "greeter" });
  await phone.until(() => phone.playedMs > 500, "the greeting");
  phone.press("12#");
  await phone.until(() => phone.commands.includes("flush"), "the flush");
  const greeted = phone.played.length;
  await phone.until(() => phone.played.length > greeted + 20, "the reply to the keys");
});

test.each([
  ["/ws/asterisk", asteriskJson("slin24", 960)],
  ["/ws/media-stream", twilio()],
])("%s: the hang-up key ends the call", async (path, dialect) => {
  const phone = call(path, dialect, { config_id: "greeter" });
  await phone.until(() => phone.playedMs > 100, "the greeting");
  phone.press("0");
  expect((await phone.closed).code).toBe(1000);
  if (path === "/ws/asterisk") expect(phone.commands.at(-1)).toBe("hang-up");
});

test("a stop message ends the call", async () => {
  const phone = call("/ws/media-stream", twilio(), { config_id: "greeter" });
  await phone.until(() => phone.playedMs > 100, "the greeting");
  phone.send(JSON.stringify({ event: "stop", streamSid: "MZ1", stop: { callSid: "CA1" } }));
  expect((await phone.closed).code).toBe(1000);
});

test("the path of a media stream may hold the configuration and the key", async () => {
  const phone = new Phone(`${box.base}/ws/media-stream/greeter/${box.key}`, twilio({ caller: "Ada" }));
  onTestFinished(() => phone.hangUp());
  await phone.until(() => phone.playedMs > 100, "the greeting");
});

test("Basic authentication opens a call; wrong credentials and unknown formats do not", async () => {
  const dialect = asteriskJson("slin24", 960);
  const phone = (login: string, query = "") => {
    const authorization = `Basic ${Buffer.from(login).toString("base64")}`;
    const made = new Phone(`${box.base}/ws/asterisk${query}`, dialect, { headers: { authorization } });
    onTestFinished(() => made.hangUp());
    return made;
  };
  const good = phone(`x:${box.key}`, "?config_id=greeter");
  await good.until(() => good.playedMs > 100, "the greeting");
  expect(await phone(`x:oak_${"a".repeat(43)}`).closed).toEqual({ code: 1008, reason: "INVALID_API_KEY" });
  expect(await phone("x:token").closed).toEqual({ code: 1008, reason: "INVALID_TOKEN" });
  expect(await phone(`x:${box.key}`, "?config_id=none").closed).toEqual({ code: 1008, reason: "CONFIG_NOT_FOUND" });
  const nobody = new Phone(`${box.base}/ws/asterisk`, dialect);
  expect(await nobody.closed).toEqual({ code: 1008, reason: "MISSING_CREDENTIALS" });
  const unknown = call("/ws/asterisk", asteriskJson("g722", 160));
  expect(await unknown.closed).toEqual({
    code: 1003,
    reason: expect.stringContaining("AUDIO_PROCESSING_FAILED") as string,
  });
  expect(unknown.commands).toEqual(["hang-up"]);
});

test("two calls at once get their own replies", async () => {
  const asterisk = call("/ws/asterisk", asteriskJson("slin24", 960));
  const stream = call("/ws/media-stream", twilio());
  const silent = call("/ws/asterisk", asteriskPlain("ulaw", 160));
  await silent.until(() => silent.commands.length > 0, "the answer");
  await Promise.all([ask(asterisk, SLIN24), ask(stream, ULAW)]);
  expect(silent.commands).toEqual(["answer"]);
});
