import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { loadServerConfig } from "../../src/config/server-config.ts";
import { engineStarters } from "../../src/service/engine-starters.ts";
import { errorMessage } from "../../src/shared/errors.ts";
import { silentLog } from "../../src/shared/log.ts";
import { packageRoot } from "../../src/shared/package-root.ts";
import { TypedCall } from "../callers/typed-call.ts";
import { readOptions } from "../options.ts";
import { definitions, toolsSchema } from "../tools/short-tools.ts";

const USAGE = `npm run eval:facts -- [--file FILE]
Asks the language model of the server's configuration about the facts of twenty configurations: five questions each in one conversation,
then one whose answer is not there.
Prints every wrong reply, the number of right ones, and how often it says that it does not know.`;

const DECLINES = /sorry|don't know|do not know|don't have|not sure|afraid|can't|cannot/iu;

const configurationSchema = z.strictObject({
  system_prompt: z.string(),
  facts: z.array(z.string()),
  tools: toolsSchema.default({}),
  asks: z.array(z.strictObject({ says: z.string(), right: z.string() })),
  unknown: z.string(),
});

async function main(): Promise<void> {
  const values = readOptions(USAGE, {
    file: { type: "string", default: join(packageRoot, "bench", "facts", "facts.yaml") },
  });
  const configurations = z.array(configurationSchema).parse(parse(readFileSync(values.file, "utf8")));
  const { config } = loadServerConfig(undefined, process.env);
  const llm = await engineStarters(config, 1, silentLog).llm();
  const known: boolean[] = [];
  const declined: boolean[] = [];
  const count = (verdicts: boolean[], isRight: boolean, said: string, reply: string) => {
    verdicts.push(isRight);
    if (!isRight) console.log(`"${said}" -> "${reply}"`);
  };
  try {
    for (const { system_prompt, facts, tools, asks, unknown } of configurations) {
      const assistant = { system_prompt, facts, tools: definitions(tools) };
      const call = new TypedCall(llm, assistant, () => JSON.stringify({ ok: true }));
      for (const { says, right } of asks) {
        const reply = await call.say(says);
        count(known, new RegExp(`\\b(?:${right})(?!\\d)`, "iu").test(reply), says, reply);
      }
      const reply = await call.say(unknown);
      count(declined, DECLINES.test(reply), unknown, reply);
      call.close();
    }
  } finally {
    await llm.close();
  }
  const share = (verdicts: readonly boolean[]) => `${verdicts.filter(Boolean).length} of ${verdicts.length}`;
  console.log(`questions about the facts answered: ${share(known)}`);
  console.log(`questions beyond the facts declined: ${share(declined)}`);
}

main().catch((error: unknown) => {
  console.error(`facts: ${errorMessage(error)}`);
  process.exitCode = 1;
});
