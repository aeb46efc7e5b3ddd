import fc from "fast-check";
import { expect, test } from "vitest";
import type { CallControl, Tool } from "../../src/conversation/tool-calls/tool.ts";
import { lossyCall } from "../support/lossy-call.ts";
import { LOUD } from "../support/scripted-call.ts";

const CLIENT_TOOL = {
  name: "map",
  description: "",
  parameters: { type: "object" },
  client: true,
  timeout_seconds: 20,
  cancel_on_interrupt: false,
} as const;
/** The speech of one sentence with the silence after it. */
const SENTENCE_SAMPLES = 24_000 * 1.2;

/** The voice gets no digits: numbers are spelt out before. */
const nameOf = (number: number) => String(number).replace(/\d/gu, (digit) => "abcdefghij"[Number(digit)] ?? "");
const numberOf = (name: string) => Number(name.replace(/./gu, (letter) => String("abcdefghij".indexOf(letter))));

const steps = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ do: fc.constant("words" as const), tenths: fc.integer({ min: 6, max: 12 }) }) },
    {
      weight: 9,
      arbitrary: fc.record({ do: fc.constant("silence" as const), tenths: fc.integer({ min: 1, max: 18 }) }),
    },
    { weight: 3, arbitrary: fc.record({ do: fc.constant("noise" as const), tenths: fc.integer({ min: 1, max: 9 }) }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constantFrom("finish" as const, "say" as const, "ring" as const) }) },
    { weight: 7, arbitrary: fc.record({ do: fc.constantFrom("cut" as const, "lose" as const, "back" as const) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("elsewhere" as const) }) },
  ),
  { minLength: 6, maxLength: 30 },
);
/** Number of sentences of a reply, and the tools that it calls before, after or between them. */
const replies = fc.array(fc.array(fc.constantFrom("text", "text", "book", "map"), { minLength: 1, maxLength: 4 }), {
  maxLength: 6,
});

function scene(script: readonly (readonly string[])[]) {
  const left = [...script];
  /** Sentences by number; the voice speaks each with its own amplitude. */
  const sentences: string[] = [];
  /** The number comes late: the first words of a cut reply leave the prompt. */
  const sentence = () => `This is sentence zo${nameOf(sentences.push("") - 1)} for you. `;
  const numbersIn = (text: string) => Array.from(text.matchAll(/zo([a-j]+)/gu), ([, name = ""]) => numberOf(name));
  const running: { readonly id: string; done(text: string): void }[] = [];
  const ran: string[] = [];
  const asked = new Set<string>();
  /** Calls that the client carries out, each once. */
  const onClient: string[] = [];
  const heard = new Map<number, number[]>();
  let hearing: number | undefined;
  let phrase = "";
  let control: CallControl | undefined;
  let calls = 0;
  const book: Tool = {
    definition: { name: "book", description: "", parameters: { type: "object" } },
    cancelOnInterrupt: false,
    run: (_, { callId: id }) => (ran.push(id), new Promise((done) => void running.push({ id, done }))),
  };
  const call = lossyCall({
    greeting: sentence() + sentence(),
    voice: { tools: [CLIENT_TOOL], tool_limits: { per_turn: 99, per_minute: 1_000 } },
    openTools: (own) => ((control = own), [book]),
    transcribe: async () => phrase,
    async *generate({ toolChoice }) {
      for (const part of left.shift() ?? ["text"]) {
        if (part === "text" || toolChoice === "none") yield sentence();
        else yield { id: String((calls += 1)), name: part, arguments: JSON.stringify({ calls }) };
      }
    },
    synthesize: async (text) => new Float32Array(24_000).fill(0.2 + 0.002 * (numbersIn(text)[0] ?? 150)),
    onSend: (type, data) => {
      if (type === "tool_call" && data["run_by"] === "client") {
        const id = data["call_id"] as string;
        if (!asked.has(id)) onClient.push(id);
        asked.add(id);
      }
      if (type !== "tts_chunk") return;
      const pcm = Buffer.from(data["content"] as string, "base64");
      const number = Math.round((pcm.readInt16LE(0) / 32_767 - 0.2) / 0.002);
      // The silence after a sentence belongs to it.
      if (pcm.readInt16LE(0) !== 0 && number !== hearing)
        heard.set((hearing = number), [...(heard.get(number) ?? []), 0]);
      const times = heard.get(hearing ?? -1);
      if (times !== undefined) times.push((times.pop() ?? 0) + pcm.length / 2);
    },
  });
  call.session.configure({ runsTools: true });
  return Object.assign(call, {
    sentence,
    numbersIn,
    running,
    ran,
    onClient,
    heard,
    /** Another connection repeats sentences from their beginning. */
    reconnected: () => (hearing = undefined),
    hear: (words: string) => (phrase = words),
    control: () => control,
  });
}

test("property: whenever the connection or the box breaks, no word is lost, nothing heard is said again, and each call runs once", async () => {
  const property = fc.asyncProperty(replies, steps, async (script, list) => {
    const call = scene(script);
    const { stream, clock } = call;
    let network: "up" | "cut" | "lost" = "up";
    const phrases: string[] = [];
    const texts: string[] = [];
    const pass = async (level: number, tenths: number) => {
      if (network === "up") return await stream(level, tenths * 100);
      for (let at = 0; at < tenths; at += 1) {
        clock.advance(100);
        await call.settle();
      }
    };
    const back = async (isElsewhere = false) => {
      if (network === "up") return;
      if (network === "cut") await call.lose();
      if (isElsewhere) {
        call.running.length = 0;
        await call.move();
      }
      network = "up";
      call.reconnected();
      await call.back();
    };
    /** The caller does not interrupt: interrupted replies are another test's subject. */
    const isQuiet = async () => {
      let quiet = false;
      void call.session.quiet().then(() => (quiet = true));
      await call.settle();
      return quiet;
    };
    const finish = () => {
      const [run] = call.running.splice(0, 1);
      run?.done("done");
      const [id] = network === "up" ? call.onClient.splice(0, 1) : [];
      if (id !== undefined) call.session.giveToolResult(id, "shown", false);
    };
    for (const step of list) {
      switch (step.do) {
        case "words":
          if (network !== "up" || !(await isQuiet())) break;
          phrases.push(`phrase ${String(phrases.length)} words`);
          call.hear(phrases.at(-1) ?? "");
          await pass(LOUD, step.tenths);
          break;
        case "noise":
          if (network !== "up") break;
          if (await isQuiet()) break;
          await pass(0, 12);
          call.hear("");
          await pass(LOUD, step.tenths > 2 ? 2 : step.tenths);
          await pass(0, 6);
          break;
        case "silence":
          await pass(0, step.tenths);
          break;
        case "finish":
          finish();
          await call.settle();
          break;
        case "say":
        case "ring": {
          const text = call.sentence().trim();
          if ((step.do === "say" ? call.session.say(text, "next") : call.control()?.say(text)) === true)
            texts.push(text);
          break;
        }
        case "cut":
          if (network === "up") {
            network = "cut";
            call.cut();
          }
          break;
        case "lose":
          if (network === "lost") break;
          network = "lost";
          await call.lose();
          break;
        case "back":
          await back();
          break;
        case "elsewhere":
          await back(true);
      }
    }
    await back();
    for (let rounds = 0; rounds < 8; rounds += 1) {
      for (let calls = 0; calls < 6; calls += 1) finish();
      await pass(0, 60);
    }
    expect(await isQuiet()).toBe(true);
    call.hear("the last words");
    await pass(LOUD, 8);
    await pass(0, 8);

    const messages = call.prompts.at(-1)?.messages ?? [];
    const said = messages.flatMap(({ role, content }) => (role === "user" ? [content] : [])).join(" ");
    expect(phrases.filter((phrase) => !said.includes(phrase))).toEqual([]);

    const told = messages.flatMap(({ role, content }) => (role === "assistant" ? call.numbersIn(content) : []));
    expect(told).toEqual([...new Set(told)]);
    const wholeTimes = (number: number) =>
      (call.heard.get(number) ?? []).filter((samples) => samples >= SENTENCE_SAMPLES - 1).length;
    expect(told.filter((number) => wholeTimes(number) !== 1)).toEqual([]);
    expect(texts.filter((text) => !told.includes(call.numbersIn(text)[0] ?? -1))).toEqual([]);
    expect(told.slice(0, 2)).toEqual([0, 1]);

    expect(new Set(call.ran).size).toBe(call.ran.length);
    const results = messages.flatMap(({ role, content }) => (role === "call" ? [content] : []));
    expect(results.filter((text) => !/^(?:done|shown|It is not known)/u.test(text))).toEqual([]);

    await call.session.close();
    expect(clock.pendingTimers).toBe(0);
    expect(call.faults).toEqual([]);
  });
  await fc.assert(property, { numRuns: Number(process.env["RUNS"] ?? 25) });
});
