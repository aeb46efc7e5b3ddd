import { describe, expect, test } from "vitest";
import { redactedModel } from "../../../src/call-record/redacted-prompts/redacted-model.ts";
import { REDACTION_KINDS } from "../../../src/config/call-record-settings.ts";
import type { ChatMessage, LanguageSession } from "../../../src/engines/llm/language-model.ts";
import * as chat from "../../support/chat-events.ts";
import { bodyOf, collect, never, request, serving, wordsOf } from "../../support/remote-model.ts";
import type { Answer } from "../../support/tool-server.ts";

interface WireMessage {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: readonly { readonly function: { readonly arguments: string } }[];
}

/** A session with redaction on a model that a server speaking the OpenAI protocol runs. */
async function redacting(...answers: readonly Answer[]) {
  const { server, model } = await serving(answers);
  const session = redactedModel(model, REDACTION_KINDS, () => "en").open();
  const sent = () => bodyOf(server)["messages"] as readonly WireMessage[];
  return { session, sent, all: () => server.requests.map(({ body }) => body).join("\n") };
}
const said = (...contents: readonly string[]): ChatMessage[] => [
  { role: "system", content: "You are Oak." },
  ...contents.map((content, at): ChatMessage => ({ role: at % 2 === 0 ? "user" : "assistant", content })),
];
const words = async (session: LanguageSession, messages: readonly ChatMessage[]) =>
  (await wordsOf(session.generate({ ...request, messages }, never))).join("");
const reply = (...pieces: readonly string[]) => chat.stream(...pieces.map(chat.text), chat.stop, chat.done);
const OK = reply("Fine.");

describe("the remote model", () => {
  test("gets placeholders in the place of names, numbers and addresses, written and spoken", async () => {
    const { session, sent, all } = await redacting(OK);
    await words(
      session,
      said(
        "(It is 7:41 PM.)\nMy name is Ottoline Vanterpool and my card is four one one one one one one one one one one one one one one one.",
        "Thank you, Ottoline. And your mail?",
        "It is ottoline dot v at example dot com, and call me on 555-867-5309.",
      ),
    );
    expect(sent().map(({ content }) => content)).toEqual([
      expect.stringMatching(/^You are Oak\.\nTexts in square brackets/u),
      "(It is 7:41 PM.)\nMy name is [name 1] and my card is [card 1].",
      "Thank you, [name 2]. And your mail?",
      "It is [mail 1], and call me on [phone 1].",
    ]);
    expect(all()).not.toMatch(/ottoline|vanterpool|one one|5309/iu);
  });

  test("gets no digit of a card that the caller dictates over several turns", async () => {
    const { session, sent, all } = await redacting(OK, OK);
    await words(session, said("It is 4111 1111."));
    await words(session, said("It is 4111 1111.", "I have 4111, go on.", "(It is 7:41 PM.)\n1111 1111."));
    expect(sent().map(({ content }) => content)).toEqual([
      expect.any(String),
      "It is [card 1]",
      "I have [number 2], go on.",
      "(It is 7:41 PM.)\n[card 2].",
    ]);
    expect(all()).not.toContain("1111");
  });

  test("gets the same placeholder for the same value in each prompt, and earlier words are hidden once a name is known", async () => {
    const { session, sent } = await redacting(OK, OK);
    await words(session, said("I look for Vanterpool today."));
    expect(sent()[1]?.content).toBe("I look for Vanterpool today.");
    await words(session, said("I look for Vanterpool today.", "Who asks?", "My name is VANTERPOOL."));
    expect(sent().slice(1).map(({ content }) => content)).toEqual(["I look for [name 1] today.", "Who asks?", "My name is [name 1]."]); // prettier-ignore
  });

  test("gets no value of arguments and results of earlier calls", async () => {
    const { session, sent, all } = await redacting(OK);
    const call: ChatMessage = {
      role: "call",
      name: "book",
      arguments: JSON.stringify({ guest_name: "Vanterpool", guests: 2 }),
      content: JSON.stringify({ phone: 5_558_675_309, note: "for Vanterpool" }),
    };
    await words(session, [...said("Book it."), call]);
    expect(sent()[2]?.tool_calls?.[0]?.function.arguments).toBe('{"guest_name":"[name 1]","guests":2}');
    expect(sent()[3]?.content).toBe('{"phone":"[phone 1]","note":"for [name 1]"}');
    expect(all()).not.toMatch(/vanterpool|5309/iu);
  });

  test("gets no value with a prompt that is evaluated ahead", async () => {
    const { session, all } = await redacting(chat.token);
    await session.prefill({ ...request, messages: said("My name is Vanterpool.") }, never);
    expect(all()).toContain("My name is [name 1].");
    expect(all()).not.toContain("Vanterpool");
  });

  test("gets what the operator does not hide", async () => {
    const { server, model } = await serving([OK]);
    const session = redactedModel(model, ["card"], () => "en").open();
    await words(session, said("My name is Vanterpool and my card is 4111 1111 1111 1111."));
    const [, { content } = { content: "" }] = bodyOf(server)["messages"] as readonly WireMessage[];
    expect(content).toBe("My name is Vanterpool and my card is [card 1].");
  });
});

describe("a reply", () => {
  const introduced = said("My name is Ottoline Vanterpool, my card is four one one one, one one one one, one one one one, one one one one."); // prettier-ignore

  test.each([
    [["Hello, [name 1]."], "Hello, Ottoline Vanterpool."],
    [["Hello, [na", "me", " 1", "] and", " bye."], "Hello, Ottoline Vanterpool and bye."],
    [["Hello, [Name_1] and [ name ]."], "Hello, Ottoline Vanterpool and Ottoline Vanterpool."],
    // A placeholder that the model made up is not spoken.
    [["Hello, [name 7]. Your [iban] is fine."], "Hello, . Your  is fine."],
    [["See [1] and [the long list of all other things]", " and [na"], "See [1] and [the long list of all other things] and [na"], // prettier-ignore
  ])("%j is heard as %j", async (pieces, heard) => {
    const { session } = await redacting(reply(...pieces));
    expect(await words(session, introduced)).toBe(heard);
  });

  test("calls tools with the true values, digits as digits", async () => {
    const call = chat.event({ tool_calls: [{ index: 0, id: "a", function: { name: "set_lights", arguments: JSON.stringify({ room: "room of [name 1]", card: ["[card 1]"] }) } }] }, "tool_calls"); // prettier-ignore
    const { session } = await redacting(chat.stream(chat.text("One [mo"), call, chat.done));
    const pieces = await collect(session.generate({ ...request, messages: introduced }, never));
    expect(pieces.filter((piece) => piece !== "")).toMatchObject([
      "One ",
      "[mo",
      { name: "set_lights", arguments: '{"room":"room of Ottoline Vanterpool","card":["4111111111111111"]}' },
    ]);
  });

  test("whose call has a placeholder that stands for nothing fails: a tool must not take it for a value", async () => {
    const call = chat.event({ tool_calls: [{ index: 0, id: "a", function: { name: "set_lights", arguments: '{"room":"[name 9]"}' } }] }, "tool_calls"); // prettier-ignore
    const { session } = await redacting(chat.stream(call, chat.done));
    await expect(collect(session.generate({ ...request, messages: introduced }, never))).rejects.toMatchObject({
      code: "LLM_CALL_UNREADABLE",
    });
  });
});
