import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { clip, silence } from "../support/audio.ts";
import { Loudspeaker } from "../support/loudspeaker.ts";
import { TestBox, type Caller } from "../support/box.ts";

const LONG = "The house is quiet today, and all the lights are off. The heating is on in the kitchen.";
const voice = (id: string, greeting: string) =>
  `config_id: ${id}\nproject_id: hotel\nsystem_prompt: You are Oak, a friendly voice assistant.\ngreeting: ${greeting}\n`;

let box: TestBox;
beforeAll(async () => {
  box = await TestBox.start({ talker: voice("talker", LONG), asker: voice("asker", "Shall I book the table?") });
});
afterAll(() => box.close());

/** A caller who hears the greeting by now. */
async function listening(configId: string): Promise<Caller> {
  const caller = await box.call({}, configId);
  await caller.speak(silence(0.3));
  await caller.next("tts_chunk");
  return caller;
}

/** Bytes of speech that a caller has been sent. */
const heardBytes = (caller: Caller) =>
  caller.all("tts_chunk").reduce((sum, { content }) => sum + Buffer.from(content, "base64").length, 0);

describe("over the reply", () => {
  test.each(["flite-okay.wav", "flite-mm-hmm.wav"])("%s does not stop it; what was said is told", async (name) => {
    const quiet = await listening("talker");
    const caller = await listening("talker");
    await Promise.all([caller.speak(Buffer.concat([silence(0.5), clip(name), silence(7)])), quiet.speak(silence(8))]);
    expect(caller.order()).not.toContain("tts_interruption");
    expect(caller.order()).not.toContain("turn_start");
    const told = caller.all("transcription").map(({ data }) => data);
    expect(told).toHaveLength(1);
    expect(told[0]).toMatchObject({ is_final: true, is_speech_final: false });
    // Not a sample was lost or said twice.
    expect(heardBytes(caller)).toBe(heardBytes(quiet));
    caller.client.close();
    quiet.client.close();
  });

  test("an order stops it, and is a turn of its own", async () => {
    const caller = await listening("talker");
    const speaking = caller.speak(Buffer.concat([silence(0.5), clip("flite-stop.wav"), silence(1.5)]));
    await caller.next("tts_interruption");
    expect((await caller.next("turn_interrupted")).data.interruption_type).toBe("user_speech");
    expect((await caller.next("turn_start")).data.interrupted_tts).toBe(true);
    expect((await caller.next("turn_end")).data.transcript).toMatch(/stop/i);
    // Of the reply that was stopped nothing more came; the next one may be there already.
    const types = caller.messages.map(({ type }) => type);
    expect(types.slice(types.indexOf("tts_interruption"), types.indexOf("turn_end"))).not.toContain("tts_chunk");
    await speaking;
    caller.client.close();
  });

  test("the end of a question, a short yes is its answer", async () => {
    const caller = await listening("asker");
    await caller.speak(Buffer.concat([clip("flite-okay.wav"), silence(1.5)]));
    expect((await caller.next("turn_end")).data.transcript).not.toBe("");
    caller.client.close();
  });
});

describe("a loudspeaker that feeds the microphone, at -10 dB and 120 ms later", () => {
  const open = async () => {
    const caller = await box.call({}, "talker");
    return { caller, microphone: new Loudspeaker(caller, -10, 120) };
  };

  test("does not interrupt the box by its own voice", async () => {
    const quiet = await box.call({}, "talker");
    const { caller, microphone } = await open();
    await Promise.all([microphone.speak(silence(9)), quiet.speak(silence(9))]);
    expect(caller.order()).not.toContain("tts_interruption");
    expect(caller.order()).not.toContain("turn_start");
    expect(heardBytes(caller)).toBe(heardBytes(quiet));
    caller.client.close();
    quiet.client.close();
  });

  test("a real voice over it does", async () => {
    const { caller, microphone } = await open();
    await microphone.speak(Buffer.concat([silence(3), clip("flite-lights.wav"), silence(1.5)]));
    expect(caller.order()).toContain("tts_interruption");
    expect(caller.all("turn_start")[0]?.data.interrupted_tts).toBe(true);
    caller.client.close();
  });
});
