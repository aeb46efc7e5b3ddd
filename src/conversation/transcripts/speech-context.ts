import type { VoiceConfiguration } from "../../config/voice-configuration.ts";
import type { ToolDefinition } from "../../engines/llm/language-model.ts";
import type { SpeechContext } from "../../engines/stt/speech-to-text.ts";
import { languageOf } from "../../language/languages.ts";
import type { SessionSettings } from "../settings.ts";

const MAX_WORDS = 400;

/** The phrases of the operator and of the client, and the words of facts and of tools: a caller is likely to say them. */
export function speechContext(
  voice: Pick<VoiceConfiguration, "phrases" | "facts">,
  { language, phrases, callFacts, reply }: Pick<SessionSettings, "language" | "phrases" | "callFacts" | "reply">,
  tools: readonly ToolDefinition[],
): SpeechContext {
  const offered = [...tools, ...reply.tools];
  const choices = offered.flatMap(({ parameters }) => enumTexts(parameters));
  const purposes = offered.flatMap(({ name, description }) => [name.replaceAll("_", " "), description]);
  return {
    language: languageOf(language).code,
    phrases: [...new Set([...voice.phrases, ...phrases])],
    words: wordsOf([...callFacts, ...choices, ...voice.facts, ...purposes]),
  };
}

/** The same for a caller who answers a reply: its words may come back. */
export const afterReply = (context: SpeechContext, reply: string): SpeechContext =>
  reply === "" ? context : { ...context, words: distinct([...wordsOf([reply]), ...(context.words ?? [])]) };

const wordsOf = (texts: readonly string[]): readonly string[] =>
  distinct(texts.flatMap((text) => text.split(/[^\p{L}\p{M}\p{N}'’.-]+/u)).filter((word) => /\p{L}/u.test(word)));

const distinct = (words: readonly string[]): readonly string[] => [...new Set(words)].slice(0, MAX_WORDS);

/** The texts of each `enum` in a JSON Schema. */
function enumTexts(schema: unknown): readonly string[] {
  if (typeof schema !== "object" || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) =>
    key === "enum" && Array.isArray(value)
      ? value.filter((each) => typeof each === "string").map((each) => each.replaceAll("_", " "))
      : enumTexts(value),
  );
}
