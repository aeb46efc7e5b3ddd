import type { LanguageModel } from "../../engines/llm/language-model.ts";
import { noTools, textOf } from "../../engines/llm/language-model.ts";
import type { CallView } from "./call-view.ts";

const SYSTEM =
  "You check telephone calls. You read a call between a caller and an assistant, and one statement about it. Answer with yes if the statement is true, otherwise with no.";

/** The statements that the language model does not confirm. */
export async function unconfirmed(
  statements: readonly string[],
  { greeting, turns }: Pick<CallView, "greeting" | "turns">,
  llm: LanguageModel,
): Promise<readonly string[]> {
  const lines = turns.flatMap(({ heard, replied, tools }) => [
    `Caller: ${heard}`,
    ...tools.map(({ name, output = "" }) => `(The assistant used ${name}: ${output})`),
    `Assistant: ${replied}`,
  ]);
  const call = [...(greeting === "" ? [] : [`Assistant: ${greeting}`]), ...lines].join("\n");
  const refused: string[] = [];
  const session = llm.open();
  try {
    for (const statement of statements) {
      const content = `${call}\n\nStatement: ${statement}\nIs the statement true? Answer yes or no.`;
      const messages = [
        { role: "system", content: SYSTEM },
        { role: "user", content },
      ] as const;
      let answer = "";
      const request = { messages, ...noTools, maxTokens: 16, temperature: 0 };
      for await (const piece of textOf(session.generate(request, new AbortController().signal))) answer += piece;
      if (!/^\W*yes\b/iu.test(answer)) refused.push(statement);
    }
  } finally {
    session.close();
  }
  return refused;
}
