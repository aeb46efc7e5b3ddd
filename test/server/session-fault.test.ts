import { pino } from "pino";
import { expect, onTestFinished, test, vi } from "vitest";
import { WebSocket } from "ws";
import { RecordingSession, startWireServer } from "./support.ts";

test("an error in a session's callback closes its connection with 1011 and one log line, and no other", async () => {
  const lines: string[] = [];
  const log = pino({ level: "trace" }, { write: (line: string) => void lines.push(line) });
  const sessions: RecordingSession[] = [];
  const { connectReady, server } = await startWireServer({
    log,
    openSession: (request) => {
      const session = new RecordingSession(request);
      sessions.push(session);
      return session;
    },
  });
  const [broken, other] = [await connectReady(), await connectReady()];
  const [session] = sessions;
  session?.request.onFault(new TypeError("my account number is 12345"));
  const error = await broken.nextError();
  expect(error).toMatchObject({ error_code: "INTERNAL_ERROR", details: {} });
  expect(await broken.closed).toEqual({ code: 1011, reason: "INTERNAL_ERROR" });
  await other.settled();
  await expect.poll(() => server.stats().connections).toBe(1);
  expect(sessions.map(({ isClosed }) => isClosed)).toEqual([true, false]);
  const told = lines.filter((line) => line.includes("The session failed."));
  expect(told.map((line) => JSON.parse(line))).toMatchObject([
    { code: "INTERNAL", stack: expect.stringMatching(/^ +at /) },
  ]);
  expect(JSON.stringify(error) + lines.join("")).not.toContain("12345");
});

test("an error in a connection's timer closes only that connection", async () => {
  const { connectReady, server, clock } = await startWireServer({ limits: { idle_timeout_seconds: 10 } });
  const failing = await connectReady();
  clock.advance(5_000);
  const other = await connectReady();
  vi.spyOn(clock, "nowMs").mockImplementationOnce(() => {
    throw new TypeError("a bug");
  });
  clock.advance(5_000);
  expect((await failing.nextError()).error_code).toBe("INTERNAL_ERROR");
  await other.settled();
  await expect.poll(() => server.stats().connections).toBe(1);
});

test("an error in a timer of a door closes only its connection", async () => {
  const { connectReady, server, clock, key, sessions } = await startWireServer();
  const other = await connectReady();
  const phone = new WebSocket(`${server.url}/ws/asterisk?api_key=${key}`, ["media"]);
  onTestFinished(() => phone.terminate());
  const closed = new Promise<number>((resolve) => phone.once("close", resolve));
  await new Promise((resolve) => phone.once("open", resolve));
  phone.send('{"event":"MEDIA_START","format":"slin24","optimal_frame_size":960,"channel_id":"x"}');
  phone.send('{"event":"DTMF_END","digit":"1"}');
  await expect.poll(() => sessions[1]?.ready).toBe(true);
  await other.settled();
  vi.spyOn(sessions[1] as RecordingSession, "addText").mockImplementation(() => {
    throw new TypeError("a bug");
  });
  clock.advance(2_000);
  expect(await closed).toBe(1011);
  await other.settled();
});

test("an error while a lost connection is parked closes only that connection", async () => {
  const { connectReady, server, sessions } = await startWireServer({ limits: { resume_seconds: 60 } });
  const [failing, other] = [await connectReady(), await connectReady()];
  vi.spyOn(sessions[0] as RecordingSession, "detach").mockImplementation(() => {
    throw new TypeError("a bug");
  });
  failing.socket.terminate();
  await expect.poll(() => server.stats().connections).toBe(1);
  await other.settled();
});
