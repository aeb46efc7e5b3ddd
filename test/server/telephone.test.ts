import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { voiceConfigurationSchema } from "../../src/config/voice-configuration.ts";
import type { SessionEvent } from "../../src/conversation/events.ts";
import { Session } from "../../src/conversation/session/session.ts";
import type { SessionRequest } from "../../src/conversation/session/session-interface.ts";
import { systemClock } from "../../src/shared/clock.ts";
import { silentLog } from "../../src/shared/log.ts";
import { fakeEngines } from "../support/fake-engines.ts";
import { LOUD, tone } from "../support/scripted-call.ts";
import { asteriskJson, asteriskPlain, Phone, twilio, type PhoneDialect } from "../support/phone.ts";
import { withoutTime } from "../support/time-notes.ts";
import { startWireServer } from "./support.ts";

const GREETING = "One two three four five. Six seven eight nine ten.";
const JSON_24 = (variables: object = {}) => asteriskJson("slin24", 960, variables);

function warnings() {
  const lines: { code?: string; msg: string }[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line) as { msg: string });
  return { lines, log: pino({ level: "warn" }, { write }) };
}

/** A server whose sessions run on fake engines in real time, and what they did. */
async function startTelephoneServer(options: Parameters<typeof startWireServer>[0] = {}) {
  const { engines, prompts } = fakeEngines({
    async *generate() {
      yield "Yes.";
    },
  });
  const events: SessionEvent[] = [];
  const defaultVoice = voiceConfigurationSchema.parse({
    config_id: "default",
    system_prompt: "Be brief.",
    greeting: GREETING,
    telephone: { variables: { caller: "The caller's name is {}.", room: "They are in room {}." } },
  });
  const openSession = (request: SessionRequest) => {
    const emit = (event: SessionEvent) => {
      events.push(event);
      request.emit(event);
    };
    return new Session({ ...request, emit }, engines, systemClock, silentLog);
  };
  const { server, key } = await startWireServer({ openSession, defaultVoice, ...options });
  const call = (path: string, dialect: PhoneDialect, phoneOptions = {}) => {
    const url = `${server.url}${path}${path.includes("?") ? "&" : "?"}api_key=${key}`;
    const phone = new Phone(url, dialect, phoneOptions);
    onTestFinished(() => phone.hangUp());
    return phone;
  };
  const ended = () => events.find((event) => event.type === "reply-ended");
  return { server, prompts, events, call, ended };
}

test.each([
  ["Asterisk", "/ws/asterisk", JSON_24(), 0],
  ["Asterisk that plays late", "/ws/asterisk", asteriskPlain("slin", 320), 700],
  ["Twilio", "/ws/media-stream", twilio(), 0],
  ["Twilio far away", "/ws/media-stream", twilio(), 700],
])("%s: the history keeps what was played, and nothing more", async (_name, path, dialect, lateMs) => {
  const { prompts, call, ended } = await startTelephoneServer();
  const phone = call(path, dialect, { lateMs });
  await phone.until(() => phone.playedMs >= 1100, "the greeting");
  phone.press("1#");
  await phone.until(() => phone.commands.includes("flush") && prompts.length > 0, "the reply to the key");
  const heard = ended();
  expect(heard?.type === "reply-ended" && heard.heardMs).toBeGreaterThan(phone.playedAtFlushMs - 150);
  expect(heard?.type === "reply-ended" && heard.heardMs).toBeLessThan(phone.playedAtFlushMs + 150);
  const [, greeting, key] = withoutTime(prompts[0]?.messages ?? []);
  expect(greeting?.content).toMatch(/^One two three four( five\.?)?( Six)?$/u);
  expect(key?.content).toBe("(The caller pressed 1 on the telephone keypad.)");
});

test("only the variables that the configuration names reach the prompt", async () => {
  const { prompts, call } = await startTelephoneServer();
  const phone = call("/ws/asterisk?room=7&from=secret", JSON_24({ caller: "Ada", number: "secret" }));
  await phone.until(() => phone.playedMs > 100, "the greeting");
  phone.press("1#");
  await phone.until(() => prompts.length > 0, "the prompt");
  const about = prompts[0]?.messages[1]?.content;
  expect(about).toBe("(The caller's name is Ada. They are in room 7.)");
});

test("a full queue stops the speech, and it goes on when there is room", async () => {
  const { call } = await startTelephoneServer();
  const phone = call("/ws/asterisk", JSON_24());
  await phone.until(() => phone.playedMs >= 200, "the greeting");
  phone.send(JSON.stringify({ event: "MEDIA_XOFF" }));
  await new Promise((resolve) => setTimeout(resolve, 900));
  const stopped = phone.playedMs;
  expect(stopped).toBeLessThan(900);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(phone.playedMs).toBe(stopped);
  phone.send(JSON.stringify({ event: "MEDIA_XON" }));
  await phone.until(() => phone.playedMs > 1_800, "the rest");
});

test("audio before the start is kept, bad input is logged once, and the call goes on", async () => {
  const { lines, log } = warnings();
  const { call, events } = await startTelephoneServer({ log });
  const dialect = { ...JSON_24(), opening: [] };
  const phone = call("/ws/asterisk", dialect);
  await phone.opened;
  const voice = Buffer.from(tone(LOUD, 20).buffer);
  for (let n = 0; n < 50; n += 1) phone.send(voice);
  phone.send(JSON_24().opening[0]!);
  await phone.until(() => events.some(({ type }) => type === "turn-started"), "a turn of the early audio");
  for (let n = 0; n < 3; n += 1) {
    phone.send("{");
    phone.send("NO_SUCH_EVENT");
    phone.send(JSON_24().opening[0]!);
  }
  phone.send("ERROR channel_id:1 error_text:MARK_MEDIA not supported");
  await phone.until(() => lines.length >= 2, "the log");
  expect(lines.map(({ code }) => code)).toEqual(["INVALID_MESSAGE", "UNKNOWN_MESSAGE_TYPE"]);
  expect(phone.isClosed).toBe(false);
});

const G722_STREAM = JSON.stringify({
  event: "start",
  streamSid: "MZ1",
  start: { mediaFormat: { encoding: "G722", sampleRate: 8000 } },
});

test.each([
  ["/ws/asterisk", asteriskJson("g722", 160), "The audio format g722 cannot be used; configure slin24"],
  [
    "/ws/media-stream",
    { ...twilio(), opening: [G722_STREAM] },
    "The audio format G722 at 8000 Hz cannot be used; configure mu-law",
  ],
])("%s: the close reason names an unknown format, and the log those to configure", async (path, dialect, message) => {
  const { lines, log } = warnings();
  const { call } = await startTelephoneServer({ log });
  const reason = expect.stringMatching(/^AUDIO_PROCESSING_FAILED g722/iu) as string;
  expect(await call(path, dialect).closed).toEqual({ code: 1003, reason });
  expect(lines).toMatchObject([{ msg: expect.stringContaining(message) as string }]);
});

test("a caller who hangs up leaves no session", async () => {
  const { server, call } = await startTelephoneServer();
  const phone = call("/ws/asterisk", JSON_24());
  await phone.until(() => phone.playedMs > 100, "the greeting");
  phone.press("1");
  phone.hangUp();
  await expect.poll(() => server.stats().connections).toBe(0);
});

test("a stranger that sends no start is turned away, and the log says why after other errors", async () => {
  const { lines, log } = warnings();
  const { server, key, clock } = await startWireServer({ log });
  const phone = new Phone(`${server.url}/ws/media-stream?api_key=${key}`, { ...twilio(), opening: [] });
  await phone.opened;
  phone.send("{}");
  await expect.poll(() => server.stats().connections).toBe(1);
  clock.advance(11_000);
  phone.send("{}");
  expect(await phone.closed).toEqual({ code: 1008, reason: "INVALID_MESSAGE no start of the call" });
  expect(lines.map(({ msg }) => msg)).toContainEqual(expect.stringContaining("No start of the call came"));
});
