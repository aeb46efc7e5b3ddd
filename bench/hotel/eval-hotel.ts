import { CALL_HZ } from "../../src/audio/format.ts";
import { loadServerConfig } from "../../src/config/server-config.ts";
import { errorMessage } from "../../src/shared/errors.ts";
import { makeCall } from "../../src/operator/scenarios/make-call.ts";
import { withOwnBox, type Box } from "../../src/operator/scenarios/own-box.ts";
import { silentLog } from "../../src/shared/log.ts";
import { scenarioOfTurns } from "../callers/scenario-of-turns.ts";
import { sayWith } from "../callers/synthetic-voice.ts";
import { readOptions } from "../options.ts";
import { configuration, SECRET_NAME } from "./configuration.ts";
import { Hotel } from "./hotel.ts";
import { readHotel, type Guest, type HotelScript } from "./script.ts";
import { HotelSystems, SECRET, type Desk } from "./systems.ts";
import { judge, type GuestCall } from "./verdict.ts";

const USAGE = `npm run eval:hotel -- [--voice] [--part work|final] [--at-once N]
Thirty scripted callers of a hotel desk: four webhooks and an MCP server, some of which hang, lie, redirect, crash or answer 10 MB.
They type to a new server with the starter models (or the configuration that OAKVOICE_CONFIG names). With --voice they speak with
synthetic voices.
Prints every turn and call, then the tasks done by the state of the hotel, what was done twice, and replies that are not for ears.`;

const idOf = (index: number) => `guest-${String(index)}`;

async function main(): Promise<void> {
  const values = readOptions(USAGE, {
    voice: { type: "boolean", default: false },
    part: { type: "string" },
    "at-once": { type: "number", default: 2 },
  });
  const script = readHotel();
  const guests = [...script.callers.entries()].filter(([, { part }]) => (values.part ?? part) === part);
  const desks = new Map<string, Desk>(
    guests.map(([index, { faults }]) => [
      idOf(index),
      { hotel: new Hotel(script.stays), faults: new Map(Object.entries(faults)) },
    ]),
  );
  const systems = new HotelSystems(desks);
  await systems.start();
  process.env[SECRET_NAME] = SECRET;
  const calls = new Map<Guest, GuestCall>();
  try {
    const { config } = loadServerConfig(undefined, process.env);
    const voices = Object.fromEntries(
      guests.map(([index]) => [idOf(index), configuration(script, systems.host, idOf(index))]),
    );
    const own = { ...config, egress: { allowed_hosts: [systems.host] } };
    await withOwnBox(own, voices, silentLog, async (box) => {
      const waiting = [...guests];
      const line = async () => {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
          const [index, guest] = next;
          const hotel = desks.get(idOf(index))?.hotel ?? new Hotel([]);
          const voice = values.voice ? (script.voices[index % script.voices.length] ?? "") : undefined;
          calls.set(guest, await call(box, idOf(index), guest, hotel, voice));
        }
      };
      await Promise.all(Array.from({ length: values["at-once"] }, line));
    });
  } finally {
    systems.close();
  }
  report(script, calls);
  console.log(`requests that followed a redirect: ${String(systems.strays)}`);
}

/** One call, typed unless a voice is given. */
async function call(
  box: Box,
  configId: string,
  { turns }: Guest,
  hotel: Hotel,
  voice: string | undefined,
): Promise<GuestCall> {
  const speak = voice === undefined ? undefined : (text: string) => Promise.resolve(sayWith(voice, text, CALL_HZ));
  const { file, scenario } = await scenarioOfTurns(turns, configId, speak);
  const { call: made } = await makeCall(box, scenario, file.turns);
  const transferredTo = made.transferredTo ?? (made.isEndedByAssistant ? "" : undefined);
  return { hotel, turns: made.turns, transferredTo };
}

function report(script: HotelScript, calls: ReadonlyMap<Guest, GuestCall>): void {
  const done = { work: 0, final: 0 };
  const all = { work: 0, final: 0 };
  const faults = { twice: 0, lost: 0, unfit: 0 };
  for (const [guest, made] of calls) {
    const { isDone, ...found } = judge(guest, script, made);
    all[guest.part] += 1;
    done[guest.part] += isDone ? 1 : 0;
    console.log(`${isDone ? "done " : "FAILED"} ${guest.task}`);
    for (const { said, heard, replied } of made.turns)
      console.log(`   "${said}"${said === heard ? "" : ` = "${heard}"`} -> "${replied}"`);
    for (const carriedOut of made.hotel.calls) console.log(`   ${carriedOut}`);
    for (const kind of ["twice", "lost", "unfit"] as const) {
      faults[kind] += found[kind].length;
      for (const what of found[kind]) console.log(`   ${kind}: ${what}`);
    }
  }
  for (const part of ["work", "final"] as const)
    if (all[part] > 0) console.log(`tasks done, part ${part}: ${String(done[part])} of ${String(all[part])}`);
  console.log(`done twice: ${String(faults.twice)}; turns without a reply: ${String(faults.lost)}`);
  console.log(`replies that are not for ears: ${String(faults.unfit)}`);
}

main().catch((error: unknown) => {
  console.error(`hotel: ${errorMessage(error)}`);
  process.exitCode = 1;
});
