import type { ServerConfig } from "../../src/config/server-config.ts";
import { engineStarters } from "../../src/service/engine-starters.ts";
import { silentLog } from "../../src/shared/log.ts";
import type { MakeCall } from "./outcome.ts";
import { assistantNamed, readTools, type Script } from "./script.ts";
import { TypedCall } from "./typed-call.ts";

/** The callers type to the language model. */
export async function callByText(
  script: Script,
  config: ServerConfig,
  calling: (make: MakeCall) => Promise<void>,
): Promise<void> {
  const llm = await engineStarters(config, 2, silentLog).llm();
  const tools = readTools();
  try {
    await calling(async (caller, _index, world) => {
      const call = new TypedCall(llm, assistantNamed(script, caller.on, tools), ({ name, arguments: args }) =>
        JSON.stringify(world.run(name, JSON.parse(args) as Record<string, unknown>)),
      );
      const turns = [];
      for (const { say, over } of caller.turns)
        turns.push({ said: say, heard: say, replied: await call.say(say, over) });
      call.close();
      return turns;
    });
  } finally {
    await llm.close();
  }
}
