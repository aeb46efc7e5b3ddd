import { CALL_HZ } from "../../src/audio/format.ts";
import { expect, test } from "vitest";
import { VoiceClient } from "../../src/client/voice-client.ts";
import { Replies, type Reply } from "../../src/playground/replies.ts";
import { FakeSocket } from "../client/fake-socket.ts";

const ANSWER = "Your meeting is at three.";

/** Replies of a client on a fake socket, with a loudspeaker whose playback position the test sets. */
async function onFakes() {
  const socket = new FakeSocket("");
  const client = new VoiceClient({ address: () => "ws://box/", openSocket: () => socket, keepAliveMs: 0 });
  const ready = client.connect();
  socket.welcome();
  await ready;
  const told = new Map<string, () => void>();
  const speaker = { report: { played: 0, buffered: 0, isPlaying: false, gaps: 0 } };
  const replies = new Replies({ client, speaker, on: (name, listener) => void told.set(name, listener) });
  const shown = new Map<string, Reply>();
  replies.on("reply", (reply) => shown.set(reply.id, { ...reply }));
  let chunk_index = 0;
  const text = (generation_id: string, content: string) =>
    socket.say("llm_response_chunk", { generation_id, content, is_final: content === "", chunk_index: chunk_index++ });
  const speech = () => socket.say("tts_chunk", { content: "" });
  const play = (seconds: number, isPlaying: boolean) => {
    speaker.report = { ...speaker.report, played: seconds * CALL_HZ, isPlaying };
    told.get("report")?.();
  };
  return { shown, text, speech, play };
}

test("a reply without speech counts as unspoken and does not change the voice's pace", async () => {
  const { shown, text, speech, play } = await onFakes();
  text("taken back", ANSWER);
  text("taken back", "");
  text("next", ANSWER);
  expect(shown.get("taken back")).toMatchObject({ text: ANSWER, spoken: 0, isStopped: true });
  speech();
  play(1, true);
  // At the usual pace of 15 letters a second.
  expect(shown.get("next")).toMatchObject({ spoken: ANSWER.indexOf(" at"), isStopped: false });
});

test("a reply counts as complete when the next one follows", async () => {
  const { shown, text, speech, play } = await onFakes();
  text("first", ANSWER);
  text("first", "");
  speech();
  play(0.5, true);
  text("next", ANSWER);
  expect(shown.get("first")).toMatchObject({ spoken: ANSWER.length, isStopped: false });
});
