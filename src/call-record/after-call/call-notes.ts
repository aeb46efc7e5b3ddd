import type { AfterCallSettings } from "../../config/call-record-settings.ts";
import { noTools, textOf, type LanguageSession } from "../../engines/llm/language-model.ts";
import { checkArguments, type Arguments } from "../../shared/json-schema/check-arguments.ts";
import { errorCode } from "../../shared/errors.ts";
import type { WordsLine } from "../store/record-lines.ts";

const MOST_SUMMARY_TOKENS = 200;
const MOST_FIELDS_TOKENS = 400;
/** The end of a longer call. It fits into a context of 2,048 tokens beside instructions and answer. */
const MOST_TRANSCRIPT_CHARS = 4_000;
const MOST_SUMMARY_CHARS = 2_000;
/** A small model sometimes leaves a field out. */
const FIELDS_ATTEMPTS = 2;
const FIELDS_TOOL = "write_down";

const SYSTEM =
  "You write notes about a telephone call that is over. Use only what the transcript says. Words in brackets such as [name] were removed: " +
  "keep the brackets.";

/** The words of a call for the model: each line with its speaker. */
export function notesTranscript(lines: readonly WordsLine[]): string {
  const said = lines.flatMap((line) => {
    if (line.type === "caller") return [`Caller: ${line.text.trim()}`];
    return line.type === "assistant" ? [`Assistant: ${(line.heard ?? line.text).trim()}`] : [];
  });
  return said.join("\n").slice(-MOST_TRANSCRIPT_CHARS);
}

/** @throws the failure of the model. */
export async function writeSummary(chat: LanguageSession, transcript: string, signal: AbortSignal): Promise<string> {
  const task = "Summarise this call in at most three sentences, in the language of the call.";
  const request = { ...noTools, ...prompt(task, transcript), maxTokens: MOST_SUMMARY_TOKENS, temperature: 0 };
  let text = "";
  for await (const piece of textOf(chat.generate(request, signal))) text += piece;
  return text.trim().slice(0, MOST_SUMMARY_CHARS);
}

/** Undefined: what the model wrote does not fit the schema. @throws the failure of the model. */
export async function writeFields(
  chat: LanguageSession,
  schema: NonNullable<AfterCallSettings["fields"]>,
  transcript: string,
  signal: AbortSignal,
): Promise<Arguments | undefined> {
  const tools = [{ name: FIELDS_TOOL, description: "Writes down facts about the call.", parameters: schema }];
  const task = "Write down the facts about this call.";
  for (let attempt = 0; attempt < FIELDS_ATTEMPTS; attempt += 1) {
    const temperature = attempt === 0 ? 0 : undefined;
    const request = { ...prompt(task, transcript), tools, toolChoice: { name: FIELDS_TOOL }, temperature };
    for await (const piece of chat.generate({ ...request, maxTokens: MOST_FIELDS_TOKENS }, signal)) {
      const fields = typeof piece === "string" ? undefined : fitting(schema, piece.arguments);
      if (fields !== undefined) return fields;
    }
  }
  return undefined;
}

function fitting(schema: object, json: string): Arguments | undefined {
  try {
    const fields = JSON.parse(json) as Arguments;
    checkArguments(schema, fields);
    return fields;
  } catch (error) {
    if (error instanceof SyntaxError || errorCode(error) === "TOOL_REFUSED") return undefined;
    throw error;
  }
}

const prompt = (task: string, transcript: string) => ({
  messages: [
    { role: "system", content: SYSTEM } as const,
    { role: "user", content: `Transcript:\n${transcript}\n\n${task}` } as const,
  ],
});
