import { wellFormed } from "../../../shared/well-formed.ts";
import { mergedMessages, type TextMessage } from "../prompt/hermes-messages.ts";
import type { ChatMessage, Prompt, ToolChoice } from "../language-model.ts";

interface WireCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

export type WireMessage =
  | { readonly role: "system" | "user"; readonly content: string }
  | { readonly role: "assistant"; readonly content: string | null; readonly tool_calls?: readonly WireCall[] }
  | { readonly role: "tool"; readonly tool_call_id: string; readonly content: string };

/** Messages, tools and tool choice of a request, as `/chat/completions` expects them. The same prompt gives the same bytes. */
export function wirePrompt({ messages, tools, toolChoice }: Prompt) {
  const wire = { messages: wireMessages(messages) };
  if (tools.length === 0) return wire;
  const functions = tools.map((tool) => ({ type: "function", function: tool }));
  return { ...wire, tools: functions, tool_choice: wireChoice(toolChoice) };
}

const wireChoice = (choice: ToolChoice) =>
  typeof choice === "string" ? choice : { type: "function", function: choice };

function wireMessages(messages: readonly ChatMessage[]): WireMessage[] {
  const wire: WireMessage[] = [];
  let calls = 0;
  for (const message of mergedMessages(messages)) {
    if (message.role !== "call") {
      wire.push(wireText(message));
      continue;
    }
    calls += 1;
    // Mistral's templates want nine letters or digits.
    const id = `call${String(calls).padStart(5, "0")}`;
    const call = {
      id,
      type: "function",
      function: { name: message.name, arguments: wireArguments(message.arguments) },
    } as const;
    // Words before a call belong to the same message: templates refuse two messages of the assistant in a row.
    const last = wire.at(-1);
    const content = last?.role === "assistant" && last.tool_calls === undefined ? last.content : null;
    if (content !== null) wire.pop();
    wire.push({ role: "assistant", content, tool_calls: [call] });
    wire.push({ role: "tool", tool_call_id: id, content: defused(message.content) });
  }
  return wire;
}

/** Servers parse the arguments of earlier calls, and refuse the whole request when they cannot. */
function wireArguments(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), wellFormed);
  } catch {
    return "{}";
  }
}

/** The operator writes the system message. All others may hold a caller's words. */
const wireText = ({ role, content }: TextMessage): WireMessage =>
  role === "system" ? { role, content } : { role, content: defused(content) };

/**
 * Puts a space into marks such as `<|im_end|>` and `[INST]`: servers read special tokens also in the text of a message, so a caller
 * or a tool could end it.
 */
const defused = (text: string): string =>
  text.replaceAll(/<(?=[|｜/a-z])/giu, "< ").replaceAll(/\[(?=\/?[A-Z][A-Z_]*\])/gu, "[ ");
