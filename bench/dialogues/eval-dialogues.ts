import { english } from "../../src/language/packs/en/en.ts";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { packageRoot } from "../../src/shared/package-root.ts";
import { loadServerConfig } from "../../src/config/server-config.ts";
import { voiceConfigurationSchema } from "../../src/config/voice-configuration.ts";
import { History } from "../../src/conversation/reply/text/history.ts";
import { systemPrompt } from "../../src/conversation/reply/text/prompt.ts";
import { DEFAULT_SETTINGS } from "../../src/config/settings/session-settings.ts";
import { engineStarters } from "../../src/service/engine-starters.ts";
import { errorMessage } from "../../src/shared/errors.ts";
import { noTools, textOf } from "../../src/engines/llm/language-model.ts";
import { silentLog } from "../../src/shared/log.ts";
import { readOptions } from "../options.ts";

const USAGE = `npm run eval:dialogues -- [--file FILE] [--config FILE]
Sends forty written requests to the language model of the server's configuration, with the server's prompt and temperature 0.
Prints the replies as a Markdown table.`;

/** The date is fixed, so that equal weights give an equal table. */
const MOMENT = new Date(2026, 10, 20, 19, 41);
const PERSONA = "You are Oak, a friendly voice assistant. Answer in one to three short spoken sentences.";

async function main(): Promise<void> {
  const values = readOptions(USAGE, {
    file: { type: "string", default: join(packageRoot, "bench", "dialogues", "dialogues.yaml") },
    config: { type: "string" },
  });
  const schema = z.array(z.strictObject({ knows: z.array(z.string()), says: z.array(z.string()) }));
  const dialogues = schema.parse(parse(readFileSync(values.file, "utf8")));
  const { config } = loadServerConfig(values.config, process.env);
  const llm = await engineStarters(config, 1, silentLog).llm();
  try {
    console.log("| the prompt knows | caller | reply |\n|---|---|---|");
    for (const { knows, says } of dialogues) {
      const voice = voiceConfigurationSchema.parse({ config_id: "eval", system_prompt: PERSONA, facts: knows });
      const history = new History();
      const session = llm.open();
      for (const [place, content] of says.entries()) {
        history.addUser(content, english.timeNote(MOMENT, voice.timezone));
        const messages = history.prompt(systemPrompt(voice, DEFAULT_SETTINGS));
        let reply = "";
        const request = { ...noTools, messages, maxTokens: 80, temperature: 0 };
        for await (const piece of textOf(session.generate(request, new AbortController().signal))) reply += piece;
        console.log(`| ${place === 0 ? knows.join(" ") : ""} | ${content} | ${reply} |`);
        history.addAssistant(reply);
      }
      session.close();
    }
  } finally {
    await llm.close();
  }
}

main().catch((error: unknown) => {
  console.error(`dialogues: ${errorMessage(error)}`);
  process.exitCode = 1;
});
