import { CALL_HZ } from "../../src/audio/format.ts";
import type { ServerConfig } from "../../src/config/server-config.ts";
import { makeCall } from "../../src/operator/scenarios/make-call.ts";
import { withOwnBox } from "../../src/operator/scenarios/own-box.ts";
import { silentLog } from "../../src/shared/log.ts";
import type { MakeCall } from "./outcome.ts";
import { assistantNamed, readTools, type Script } from "./script.ts";
import { scenarioOfTurns } from "./scenario-of-turns.ts";
import { sayWith } from "./synthetic-voice.ts";

/** The callers speak to a new server, whose tools are carried out here. Each caller has a configuration of their own. */
export async function callByVoice(
  script: Script,
  config: ServerConfig,
  calling: (make: MakeCall) => Promise<void>,
): Promise<void> {
  await withOwnBox(config, configurations(script), silentLog, async (box) =>
    calling(async ({ turns }, index, world) => {
      const voice = script.voices[index % script.voices.length] ?? "";
      const speak = (text: string) => Promise.resolve(sayWith(voice, text, CALL_HZ));
      const { file, scenario } = await scenarioOfTurns(turns, idOf(index), speak);
      const answer = (name: string, args: Readonly<Record<string, unknown>>) => ({
        output: JSON.stringify(world.run(name, args)),
        isError: false,
      });
      return (await makeCall(box, scenario, file.turns, answer)).call.turns;
    }),
  );
}

const idOf = (index: number) => `caller-${String(index)}`;

function configurations(script: Script): Record<string, object> {
  const tools = readTools();
  return Object.fromEntries(
    script.callers.map((caller, index) => {
      const { system_prompt, facts, tools: own } = assistantNamed(script, caller.on, tools);
      const entries = own.map((tool) => ({ ...tool, client: true }));
      return [idOf(index), { system_prompt, facts, temperature: 0, tools: entries }];
    }),
  );
}
