import { loadServerConfig } from "../../src/config/server-config.ts";
import { errorMessage } from "../../src/shared/errors.ts";
import { readOptions } from "../options.ts";
import { callByText } from "./by-text.ts";
import { callByVoice } from "./by-voice.ts";
import type { MakeCall, Outcome } from "./outcome.ts";
import { callersFile, readScript, type Caller } from "./script.ts";
import { isAsExpected, World } from "./world.ts";

const USAGE = `npm run eval:callers -- [--text] [--part work|final] [--callers FILE] [--at-once N]
Thirty scripted callers with a task each, who change their minds, interrupt, mumble and try to talk the assistant out of its rules.
They call a new server (with the starter models, or the configuration that OAKVOICE_CONFIG names) with synthetic voices; its tools
are webhooks of a booking system and a house that run here. With --text they type to the language model alone.
Counts the tasks after which the booking system and the house are in the expected state. Prints every turn and call.`;

async function main(): Promise<void> {
  const values = readOptions(USAGE, {
    callers: { type: "string", default: callersFile },
    part: { type: "string" },
    text: { type: "boolean", default: false },
    "at-once": { type: "number", default: 2 },
  });
  const script = readScript(values.callers);
  const chosen = [...script.callers.entries()].filter(([, { part }]) => (values.part ?? part) === part);
  const { config } = loadServerConfig(undefined, process.env);
  const outcomes = new Map<Caller, Outcome>();
  const calling = async (make: MakeCall) => {
    const waiting = [...chosen];
    const line = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const [index, caller] = next;
        const world = new World(caller.before);
        outcomes.set(caller, { world, turns: await make(caller, index, world) });
      }
    };
    await Promise.all(Array.from({ length: values["at-once"] }, line));
  };
  await (values.text ? callByText(script, config, calling) : callByVoice(script, config, calling));
  report(outcomes);
}

function report(outcomes: ReadonlyMap<Caller, Outcome>): void {
  let done = 0;
  for (const [caller, { world, turns }] of outcomes) {
    const isDone = isDoneAfter(caller, world, turns.at(-1)?.replied ?? "");
    done += isDone ? 1 : 0;
    console.log(`${isDone ? "done " : "FAILED"} ${caller.task ?? turns.map(({ said }) => said).join(", ")}`);
    for (const { said, heard, replied } of turns)
      console.log(`   "${said}"${said === heard ? "" : ` = "${heard}"`} -> "${replied}"`);
    for (const call of world.calls) console.log(`   ${call}`);
  }
  console.log(`tasks done: ${String(done)} of ${String(outcomes.size)}`);
}

function isDoneAfter({ before, expect: { replied, ...state } }: Caller, world: World, reply: string): boolean {
  if (replied !== undefined && !new RegExp(replied, "iu").test(reply)) return false;
  return isAsExpected(new World(before).state, world.state, state);
}

main().catch((error: unknown) => {
  console.error(`callers: ${errorMessage(error)}`);
  process.exitCode = 1;
});
