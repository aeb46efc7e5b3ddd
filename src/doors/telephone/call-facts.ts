import { plainLine } from "./call-protocol.ts";

/** Characters of one variable that reach the prompt. Callers choose their own names, so a value is text of a stranger. */
const MOST_CHARACTERS = 200;

/**
 * Sentences for the prompt. `sentences` of the configuration names the variables that reach it; `{}` is replaced by the value.
 * A variable without a value leaves no sentence.
 */
export function callFacts(
  variables: Readonly<Record<string, string>>,
  sentences: Readonly<Record<string, string>>,
): string[] {
  return Object.entries(sentences).flatMap(([name, sentence]) => {
    const value = Object.hasOwn(variables, name) ? plainLine(variables[name] ?? "", MOST_CHARACTERS) : "";
    return value === "" ? [] : [sentence.replaceAll("{}", () => value)];
  });
}
