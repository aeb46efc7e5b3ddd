import { argumentsIn, callText, hermesForm } from "../tool-call-format/call-form.ts";
import type { Arguments } from "../tool-call-format/call-syntax.ts";
import type { ChatMessage, ToolDefinition } from "../language-model.ts";
import { defuse, defuseAll, type Vocabulary } from "../tool-call-format/special-text.ts";

export type TextMessage = Exclude<ChatMessage, { role: "call" }>;

/** Successive messages of one role become one, as chat templates expect. */
export function mergedMessages<Message extends ChatMessage>(messages: readonly Message[]): (Message | TextMessage)[] {
  const merged: (Message | TextMessage)[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    if (message.role === "call" || last?.role !== message.role) merged.push(message);
    else merged.splice(-1, 1, { role: message.role, content: `${last.content}\n${message.content}` });
  }
  return merged;
}

/** Tools, calls and results as text, for a template that knows no tools. */
export function hermesMessages(
  model: Vocabulary,
  messages: readonly ChatMessage[],
  tools: readonly ToolDefinition[],
): TextMessage[] {
  const texts = messages.flatMap((message): TextMessage[] => {
    if (message.role !== "call") return [message];
    const { marks } = hermesForm;
    const args = defuseAll(model, argumentsIn(message.arguments), marks) as Arguments;
    const result = defuse(model, message.content, marks);
    return [
      { role: "assistant", content: callText(hermesForm, message.name, args) },
      { role: "user", content: `<tool_response>\n${result}\n</tool_response>` },
    ];
  });
  if (tools.length === 0) return mergedMessages(texts);
  const [first, ...others] = texts;
  const system = first?.role === "system" ? first : undefined;
  const content = [system?.content, toolLines(model, tools)].filter(Boolean).join("\n");
  return mergedMessages([{ role: "system", content }, ...(system === undefined ? texts : others)]);
}

const toolLines = (model: Vocabulary, tools: readonly ToolDefinition[]): string =>
  [
    "You can call these functions:",
    ...tools.map((tool) => JSON.stringify(defuseAll(model, { type: "function", function: tool }, hermesForm.marks))),
    `To call one, write only ${hermesForm.prefix.replace("\n", "")}NAME${hermesForm.afterName}{...}}</tool_call>. ` +
      "Its result follows as a message. Do not guess a result.",
  ].join("\n");
