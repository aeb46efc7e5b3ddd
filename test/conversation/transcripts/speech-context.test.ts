import { expect, test } from "vitest";
import { DEFAULT_SETTINGS } from "../../../src/conversation/settings.ts";
import { speechContext } from "../../../src/conversation/transcripts/speech-context.ts";
import { LOUD, scriptedCall } from "../../support/scripted-call.ts";

const tool = (parameters: unknown) => ({ name: "list_timers", description: "Lists timers.", parameters });

test("the phrases of the operator and of the client come once each, in this order", () => {
  const voice = { phrases: ["Dr. Novak", "Quenby"], facts: [] };
  const { phrases } = speechContext(voice, { ...DEFAULT_SETTINGS, phrases: ["Quenby", "Lindenhof"] }, []);
  expect(phrases).toEqual(["Dr. Novak", "Quenby", "Lindenhof"]);
});

test("the words are those of the call's facts, of the tools' choices, of the configuration's facts and of the tools' purposes", () => {
  const settings = { ...DEFAULT_SETTINGS, callFacts: ["The caller's name is Zoë."] };
  const facts = ["Zoë's café is open 9 to 5 – 555 0182."];
  const item = { type: "object", properties: { drink: { enum: ["flat_white", 3, null] } } };
  const choices = tool({
    type: "object",
    properties: { room: { enum: ["study"] }, items: { type: "array", items: item } },
  });
  const { words } = speechContext({ phrases: [], facts }, settings, [choices, tool(undefined)]);
  expect(words).toEqual(
    "The caller's name is Zoë. study flat white Zoë's café open to list timers Lists timers.".split(" "),
  );
});

test("the number of words is bounded, and those of the call come first", () => {
  const facts = Array.from({ length: 200 }, (_, fact) => `one${String(fact)} two${String(fact)} three${String(fact)}`);
  const { words } = speechContext({ phrases: [], facts }, { ...DEFAULT_SETTINGS, callFacts: ["Zoë"] }, []);
  expect(words).toHaveLength(400);
  expect(words?.[0]).toBe("Zoë");
});

test("a call's recogniser gets them, with changes of the client's settings and the words of the reply before", async () => {
  const asked: (readonly (readonly string[] | undefined)[])[] = [];
  const call = scriptedCall({
    generate: async function* () {
      yield "Dr. Novak or Dr. Okonkwo?";
    },
    voice: { phrases: ["Dr. Novak"], facts: ["Parking is free."], tools: [] },
    transcribe: async ({ phrases, words }) => {
      asked.push([phrases, words]);
      return "hello";
    },
  });
  const turn = async () => {
    await call.stream(LOUD, 1_500);
    await call.stream(0, 6_000);
  };
  await turn();
  expect(asked.at(-1)).toEqual([["Dr. Novak"], ["Parking", "is", "free."]]);
  // The reply that the next words answer.
  expect(asked[0]).toEqual(asked.at(-1));
  call.session.configure({ phrases: ["Quenby"], callFacts: ["The room is Lindenhof"] });
  await turn();
  const words = "Dr. Novak or Okonkwo The room is Lindenhof Parking free.".split(" ");
  expect(asked.at(-1)).toEqual([["Dr. Novak", "Quenby"], words]);
  await call.session.close();
});
