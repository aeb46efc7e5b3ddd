import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ChatMessage } from "../../../../src/engines/llm/language-model.ts";
import { fitMessages, noCut } from "../../../../src/engines/llm/prompt/fit-messages.ts";

const system: ChatMessage = { role: "system", content: "s".repeat(10) };
/** Each letter is a token. */
const count = (messages: readonly ChatMessage[]): number =>
  messages.reduce((sum, { content }) => sum + content.length, 0);

function conversation(turns: number): ChatMessage[] {
  const messages: ChatMessage[] = [system];
  for (let turn = 0; turn < turns; turn += 1) {
    messages.push({ role: "user", content: `question ${String(turn).padStart(3, "0")}` });
    messages.push({ role: "assistant", content: `answer ${String(turn).padStart(3, "0")}` });
  }
  return [...messages, { role: "user", content: "last" }];
}

describe("fitMessages", () => {
  it("keeps all messages that fit", () => {
    const messages = conversation(3);
    expect(fitMessages(messages, noCut, 1_000, count)).toEqual({ messages, cut: noCut });
  });

  it("keeps the system message and the newest turns, starting with a user message, within half the budget", () => {
    const { messages } = fitMessages(conversation(20), noCut, 200, count);
    expect(messages[0]).toBe(system);
    expect(messages[1]?.role).toBe("user");
    expect(messages.at(-1)?.content).toBe("last");
    expect(count(messages)).toBeLessThanOrEqual(100);
    expect(count(messages)).toBeGreaterThan(60);
  });

  it("cuts at the same place in the next turns, so that the cached prefix stays valid", () => {
    const first = fitMessages(conversation(20), noCut, 200, count);
    const second = fitMessages(conversation(21), first.cut, 200, count);
    expect(second.messages.slice(0, first.messages.length - 1)).toEqual(first.messages.slice(0, -1));
  });

  /** For the prompt of each turn: how many leading messages it shares with the previous prompt, and how many messages it has. */
  const inTurn = (budget: number, turns: ChatMessage[][]): { same: number[]; all: number[] } => {
    let cut = noCut;
    let before: readonly ChatMessage[] = [];
    const same: number[] = [];
    const all: number[] = [];
    for (const told of turns) {
      const fitted = fitMessages(told, cut, budget, count);
      same.push(fitted.messages.findIndex(({ content }, at) => content !== before[at]?.content));
      all.push(fitted.messages.length);
      ({ cut, messages: before } = fitted);
    }
    return { same, all };
  };
  /** The messages of successive turns. Beyond 60 messages the oldest 20 are dropped. */
  const turnsOf = (question: string, answer: string): ChatMessage[][] => {
    const past: ChatMessage[] = [];
    return Array.from({ length: 80 }, (_, turn) => {
      const number = String(turn).padStart(3, "0");
      past.push({ role: "user", content: question.replace("#", number) });
      if (past.length > 60) past.splice(0, 20);
      const told = [system, ...past];
      past.push({ role: "assistant", content: answer.replace("#", number) });
      return told;
    });
  };

  // With 300 the cut lies within the remembered messages. With 450 it is sometimes forgotten.
  it.each([300, 450])("cuts as rarely for repeated messages of %i tokens", (budget) => {
    const unlike = inTurn(budget, turnsOf("yes #", "right #"));
    expect(unlike.same.filter((messages) => messages < 2).length).toBeLessThan(80 / 6);
    for (const alike of [turnsOf("yes yes", "right #"), turnsOf("yes #", "right yes")]) {
      const { same, all } = inTurn(budget, alike);
      expect(all).toEqual(unlike.all);
      for (const [turn, messages] of same.entries()) expect(messages).toBeGreaterThanOrEqual(unlike.same[turn] ?? 0);
    }
    const circle = inTurn(budget, turnsOf("yes yes", "right yes"));
    expect(Math.min(...circle.all.slice(20))).toBeGreaterThan(10);
  });

  it("a repeated message is not mistaken for the place of the cut", () => {
    const { cut } = fitMessages(conversation(20), noCut, 200, count);
    const messages: ChatMessage[] = [...conversation(1), ...cut.kept.slice(0, 1), { role: "user", content: "last" }];
    expect(fitMessages(messages, cut, 200, count)).toEqual({ messages, cut: noCut });
  });

  it("counts the tokens of a long conversation a few times, not once for each omitted turn", () => {
    let counts = 0;
    fitMessages(conversation(500), noCut, 2_000, (messages) => {
      counts += 1;
      return count(messages);
    });
    expect(counts).toBeLessThan(15);
  });

  it("chooses a new cut when the remembered turn is gone", () => {
    const { cut } = fitMessages(conversation(20), noCut, 200, count);
    const other: ChatMessage[] = [system, { role: "user", content: "new caller" }];
    expect(fitMessages(other, cut, 200, count)).toEqual({ messages: other, cut: noCut });
  });

  it("keeps a pinned message", () => {
    const pinned: ChatMessage = { role: "user", content: "(It is Maria.)", isPinned: true };
    const messages = [system, pinned, ...conversation(20).slice(1)];
    const first = fitMessages(messages, noCut, 200, count);
    expect(first.messages.slice(0, 2)).toEqual([system, pinned]);
    expect(count(first.messages)).toBeLessThanOrEqual(100);
    const next = fitMessages([...messages, { role: "user", content: "more" }], first.cut, 200, count);
    expect(next.messages.slice(0, -1)).toEqual(first.messages);
  });

  it("keeps a call with its question", () => {
    const call: ChatMessage = { role: "call", name: "find", arguments: "{}", content: "c".repeat(30) };
    const messages = [...conversation(20), call];
    const { messages: kept } = fitMessages(messages, noCut, 100, count);
    expect(kept.map(({ role }) => role)).toEqual(["system", "user", "call"]);
  });

  it("leaves turns out from the length of the model's training on", () => {
    const fitted = fitMessages(conversation(100), noCut, 2_000, count, 600);
    expect(fitted).toEqual(fitMessages(conversation(100), noCut, 600, count));
  });

  it("keeps the newest turns beside a system message that is longer than the model's training", () => {
    const long: ChatMessage = { role: "system", content: "s".repeat(500) };
    const messages = [long, ...conversation(100).slice(1)];
    const { messages: kept } = fitMessages(messages, noCut, 1_000, count, 200);
    expect(count(kept)).toBeGreaterThan(600);
    expect(count(kept)).toBeLessThanOrEqual(760);
    expect(fitMessages([long, ...messages.slice(-9)], noCut, 1_000, count, 200).messages).toHaveLength(10);
  });

  it("keeps some turns beside a system message that takes most of the budget", () => {
    const long: ChatMessage = { role: "system", content: "s".repeat(150) };
    const { messages: kept } = fitMessages([long, ...conversation(20).slice(1)], noCut, 200, count);
    expect(kept.length).toBeGreaterThan(2);
  });

  it("fails with a clear error when the system message and the last message are too long", () => {
    const messages: ChatMessage[] = [system, { role: "user", content: "u".repeat(200) }];
    expect(() => fitMessages(messages, noCut, 100, count)).toThrow(
      expect.objectContaining({ code: "LLM_PROMPT_TOO_LONG", message: expect.stringContaining("list fewer tools") }),
    );
  });

  it("never exceeds the budget, and keeps the first and the last message and the order", () => {
    const message = fc.record({
      role: fc.constantFrom("user" as const, "assistant" as const),
      content: fc.string({ maxLength: 30 }),
    });
    fc.assert(
      fc.property(
        fc.array(message, { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 60, max: 300 }),
        (turns, budget) => {
          const messages = [system, ...turns];
          const { messages: kept } = fitMessages(messages, noCut, budget, count);
          expect(count(kept)).toBeLessThanOrEqual(budget);
          expect(kept[0]).toBe(system);
          expect(kept.slice(1)).toEqual(turns.slice(turns.length - kept.length + 1));
          expect(kept.length).toBeGreaterThan(1);
        },
      ),
    );
  });
});
