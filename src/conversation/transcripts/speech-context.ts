import type { VoiceConfiguration } from "../../config/voice-configuration.ts";
import type { ToolDefinition } from "../../engines/llm/language-model.ts";
import type { SpeechContext } from "../../engines/stt/speech-to-text.ts";
import { languageOf } from "../../language/languages.ts";
import type { SessionSettings } from "../settings.ts";

const MAX_WORDS = 400;

/**
 * What the recogniser is told about a caller: the phrases of the operator and of the client, and the words of the facts and of the
 * values among which tools choose.
 */
export function speechContext(
  voice: Pick<VoiceConfiguration, "phrases" | "facts">,
  { language, phrases, callFacts, reply }: Pick<SessionSettings, "language" | "phrases" | "callFacts" | "reply">,
  tools: readonly ToolDefinition[],
): SpeechContext {
  const choices = [...tools, ...reply.tools].flatMap(({ parameters }) => enumTexts(parameters));
  const words = [...callFacts, ...choices, ...voice.facts].flatMap((text) => text.split(/[^\p{L}\p{M}\p{N}'’.-]+/u));
  return {
    language: languageOf(language).code,
    phrases: [...new Set([...voice.phrases, ...phrases])],
    words: [...new Set(words)].filter((word) => /\p{L}/u.test(word)).slice(0, MAX_WORDS),
  };
}

/** The texts of each `enum` in a JSON Schema. */
function enumTexts(schema: unknown): readonly string[] {
  if (typeof schema !== "object" || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) =>
    key === "enum" && Array.isArray(value)
      ? value.filter((each) => typeof each === "string").map((each) => each.replaceAll("_", " "))
      : enumTexts(value),
  );
}
