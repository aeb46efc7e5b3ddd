import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { parse } from "yaml";
import { z } from "zod";
import { packageRoot } from "../../src/shared/package-root.ts";
import { loadServerConfig } from "../../src/config/server-config.ts";
import type { LanguageModel, ToolDefinition } from "../../src/engines/llm/language-model.ts";
import { engineStarters } from "../../src/service/engine-starters.ts";
import { errorMessage } from "../../src/shared/errors.ts";
import { silentLog } from "../../src/shared/log.ts";
import { TypedCall } from "../callers/typed-call.ts";
import { readOptions } from "../options.ts";
import { definitions, toolsSchema } from "./short-tools.ts";

const USAGE = `npm run eval:tools -- [--part single|work|final] [--file FILE]
Sends requests to the language model of the server's configuration, with tools of many businesses.
Prints the requests whose calls are not the expected ones, and the number of the others.`;
const PERSONA = { system_prompt: "You are Oak, a friendly voice assistant. Keep your answers short.", facts: [] };

const PARTS = ["single", "work", "final"] as const;
const callSchema = z.record(z.string(), z.record(z.string(), z.json()));
const businessSchema = z.strictObject({
  part: z.enum(PARTS),
  tools: toolsSchema,
  requests: z.array(z.strictObject({ says: z.array(z.string()), calls: z.array(callSchema) })),
});
type Business = z.infer<typeof businessSchema>;
type Calls = Business["requests"][number]["calls"];

/** Names and values without capitals. */
function inLowerCase(calls: Calls): unknown {
  return JSON.parse(JSON.stringify(calls).toLowerCase());
}

/** The calls that a caller's words lead to, and the replies. */
async function said(llm: LanguageModel, tools: readonly ToolDefinition[], says: readonly string[]) {
  const made: Calls = [];
  const replies: string[] = [];
  const call = new TypedCall(llm, { ...PERSONA, tools }, ({ name, arguments: args }) => {
    made.push(callSchema.parse({ [name]: JSON.parse(args) as unknown }));
    return JSON.stringify({ ok: true });
  });
  try {
    for (const words of says) replies.push(await call.say(words));
  } catch (error) {
    replies.push(`no reply: ${errorMessage(error)}`);
  } finally {
    call.close();
  }
  return { made, replies };
}

async function main(): Promise<void> {
  const values = readOptions(USAGE, {
    part: { type: "string" },
    file: { type: "string", default: join(packageRoot, "bench", "tools", "requests.yaml") },
  });
  const parts = PARTS.filter((name) => (values.part ?? name) === name);
  if (parts.length === 0) throw new Error(`--part must be one of ${PARTS.join(", ")}`);
  const businesses = z.array(businessSchema).parse(parse(readFileSync(values.file, "utf8")));
  const { config } = loadServerConfig(undefined, process.env);
  const llm = await engineStarters(config, 1, silentLog).llm();
  const lines: string[] = [];
  try {
    for (const part of parts) {
      const verdicts: boolean[] = [];
      for (const { tools, requests } of businesses.filter((business) => business.part === part))
        for (const { says, calls } of requests) {
          const { made, replies } = await said(llm, definitions(tools), says);
          verdicts.push(isDeepStrictEqual(inLowerCase(made), inLowerCase(calls)));
          if (verdicts.at(-1) === true) continue;
          console.log(`"${says.join(", ")}" -> "${replies.join(", ")}"\n   ${JSON.stringify(made)}`);
        }
      const right = String(verdicts.filter(Boolean).length);
      lines.push(`requests with the right calls, part ${part}: ${right} of ${String(verdicts.length)}`);
    }
  } finally {
    await llm.close();
  }
  console.log(lines.join("\n"));
}

main().catch((error: unknown) => {
  console.error(`tools: ${errorMessage(error)}`);
  process.exitCode = 1;
});
