import { errorMessage, OakError } from "../../../shared/errors.ts";
import type { JsonSchema } from "../../../shared/json-schema/schema.ts";
import { jsonCall } from "./call-syntax.ts";
import type { SessionBudget } from "./grammar-rules.ts";
import type { ToolDefinition } from "../language-model.ts";

/** Every form of a call can hold such a name. */
const NAME = /^[\w.-]{1,128}$/;

/** As JSON. One caller's tools must not keep the language model from the others. */
const MAX_SCHEMA_CHARS = 16_384;

/** In JSON. A backslash before it makes it the text of a pattern. llama.cpp ends a literal there. */
const NUL = /(?<!\\)(?:\\\\)*\\u0000/;

/**
 * Throws TOOL_UNUSABLE, which names the tool, when no call can be written for it. Needs no model.
 * @param session The limit for all tools of its session.
 */
export function checkTool({ name, parameters }: ToolDefinition, session?: SessionBudget): void {
  if (!NAME.test(name)) {
    const message = `The tool name ${JSON.stringify(name.slice(0, 40))} must be 1 to 128 letters, digits, or _ - .`;
    throw new OakError(message, { code: "TOOL_UNUSABLE" });
  }
  const json = JSON.stringify(parameters ?? {});
  if (json.length > MAX_SCHEMA_CHARS) {
    const message = `The parameters of the tool ${name} have ${String(json.length)} characters as JSON; at most ${String(MAX_SCHEMA_CHARS)} are allowed.`;
    throw new OakError(message, { code: "TOOL_UNUSABLE" });
  }
  if (NUL.test(json)) {
    const message = `The parameters of the tool ${name} have a character U+0000, which no call can have.`;
    throw new OakError(message, { code: "TOOL_UNUSABLE" });
  }
  jsonCall.grammar(name, parameters, session);
}

/** A sentence that says why the language model cannot call the tool. One such tool would fail every reply. */
export function callFault(name: string, tool: { readonly parameters: JsonSchema }): string | undefined {
  try {
    checkTool({ name, description: "", parameters: tool.parameters });
    return undefined;
  } catch (error) {
    return `cannot be called: ${errorMessage(error).replace(/\.$/u, "")}`;
  }
}
