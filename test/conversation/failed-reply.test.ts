import { expect, test } from "vitest";
import { SpeculationCounts } from "../../src/conversation/reply/speculation-counts.ts";
import { LOUD } from "../support/scripted-call.ts";
import { wordByWordCall } from "../support/word-by-word-call.ts";

test("a failed reply is reported without server paths, its text is closed, and the next turn is answered", async () => {
  const { sent, stream, types } = wordByWordCall({ failReply: true });
  await stream(LOUD, 600);
  await stream(0, 5000);
  const error = sent.find(({ type }) => type === "error");
  expect(error?.data).toMatchObject({
    error_code: "LLM_UNAVAILABLE",
    details: { cause: "ENGINE_TIMEOUT", turn_id: "c.1" },
  });
  expect(JSON.stringify(sent)).not.toContain("secret");
  expect(sent.findLast(({ type }) => type === "llm_response_chunk")?.data).toMatchObject({
    content: "",
    is_final: true,
  });
  expect(types().indexOf("tts_chunk")).toBeGreaterThan(0);
  await stream(LOUD, 600);
  await stream(0, 800);
  expect(types()).toContain("tts_chunk");
});

test.each([undefined, new SpeculationCounts()])(
  "an empty reply of the model is asked for again, then excused and reported",
  async (speculation) => {
    const { sent, stream, types } = wordByWordCall({ reply: " ", speculation });
    await stream(LOUD, 600);
    await stream(0, 5000);
    expect(sent.filter(({ type }) => type === "error").map(({ data }) => data)).toMatchObject([
      { error_code: "LLM_UNAVAILABLE", details: { cause: "LLM_SAID_NOTHING", turn_id: "c.1" } },
    ]);
    expect(types()).toContain("tts_chunk");
    const text = sent.flatMap(({ type, data }) =>
      type === "llm_response_chunk" ? [(data as { content: string }).content] : [],
    );
    expect(text.join("")).toBe("Sorry, I cannot answer that right now.");
    expect(
      text.filter((content) => content === ""),
      "only the last chunk is empty",
    ).toHaveLength(1);
  },
);

test("a clause that is held until it is checked sends no empty chunks", async () => {
  const { sent, stream } = wordByWordCall({ reply: "I didn't catch that. Could you say that again?" });
  await stream(LOUD, 600);
  await stream(0, 5000);
  const chunks = sent.flatMap(({ type, data }) =>
    type === "llm_response_chunk" ? [data as { content: string; is_final: boolean }] : [],
  );
  expect(chunks.length).toBeGreaterThan(1);
  for (const { content, is_final } of chunks) expect(content === "").toBe(is_final);
});

test("a fault late in a reply keeps the speech that is ready", async () => {
  const { sent, stream, types, prompts } = wordByWordCall({ failLate: true });
  await stream(LOUD, 600);
  await stream(0, 1000);
  expect(types()).toContain("tts_chunk");
  expect(types()).not.toContain("error");
  await stream(0, 1500);
  const bytes = sent
    .filter(({ type }) => type === "tts_chunk")
    .reduce((sum, { data }) => sum + Buffer.from((data as { content: string }).content, "base64").length, 0);
  expect(bytes).toBeGreaterThanOrEqual(48_000);
  expect(types().lastIndexOf("error")).toBeGreaterThan(types().lastIndexOf("tts_chunk"));
  await stream(LOUD, 600);
  await stream(0, 800);
  expect(prompts[1]?.messages[2]).toMatchObject({ role: "assistant", content: "One two three four five." });
});
