import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { attack, type Attack } from "../../bench/hostile/attacker.ts";
import { Chance } from "../../bench/hostile/chance.ts";
import { frame, goodHandshake, OPCODE } from "../../bench/hostile/frames.ts";
import { RecordingSession, startWireServer } from "./support.ts";

test("a client that sends hundreds of messages at once leaves the event loop its turns in between", async () => {
  let inOneTurn = 0;
  let most = 0;
  class Counting extends RecordingSession {
    override pushAudio(pcm: Buffer) {
      super.pushAudio(pcm);
      if (inOneTurn === 0) setImmediate(() => (inOneTurn = 0));
      inOneTurn += 1;
      most = Math.max(most, inOneTurn);
    }
  }
  const made: RecordingSession[] = [];
  const { urlOf, key } = await startWireServer({
    openSession: (request) => {
      made.push(new Counting(request));
      return made.at(-1) ?? new Counting(request);
    },
  });
  const url = new URL(urlOf({ api_key: key, config_id: "default" }));
  const socket = connect({ host: url.hostname, port: Number(url.port) }).resume();
  onTestFinished(() => void socket.destroy());
  const settings = frame(OPCODE.text, Buffer.from('{"type":"session_settings","timestamp":1,"message_id":"s"}'));
  const audio = Array.from({ length: 400 }, () => frame(OPCODE.binary, Buffer.alloc(2)));
  socket.write(Buffer.concat([goodHandshake(url), settings, ...audio]));
  await expect.poll(() => made[0]?.audio.length, { timeout: 20_000 }).toBe(400);
  expect(most).toBeLessThanOrEqual(2);
});

test("thousands of hostile frames, the same in every run: each answer in schema, no hang, nothing left, a bystander untouched", async () => {
  const { connectReady, server, urlOf, key, sessions } = await startWireServer({
    limits: { max_messages_per_second: 100_000 },
  });
  const bystander = await connectReady();
  const attacks: Attack[] = [];
  for (let seed = 0; seed < 60; seed += 1) {
    attacks.push(await attack(new URL(urlOf({ api_key: key, config_id: "default" })), new Chance(seed), 100));
    await bystander.settled();
  }
  expect(attacks.reduce((sum, { sent }) => sum + sent, 0)).toBeGreaterThan(3_000);
  expect(attacks.flatMap(({ faults }) => faults)).toEqual([]);
  const ends = new Set(attacks.map(({ end }) => end));
  expect(ends).not.toContain("hung");
  expect(ends).not.toContain("closed 1011");
  for (const end of ["answered", "closed 1002", "closed 1007", "dropped", "left"]) expect(ends).toContain(end);
  expect(bystander.received.filter(({ type }) => type === "error")).toEqual([]);
  await expect.poll(() => server.stats()).toMatchObject({ connections: 1, pending: 0 });
  expect(sessions.filter(({ isClosed }) => !isClosed)).toHaveLength(1);
});
