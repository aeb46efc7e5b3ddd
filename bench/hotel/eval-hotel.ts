import { randomUUID } from "node:crypto";
import { voiceAddress } from "../../src/client/address.ts";
import { loadServerConfig } from "../../src/config/server-config.ts";
import { errorMessage } from "../../src/shared/errors.ts";
import { withService, type StartedService } from "../callers/service.ts";
import { speakCall } from "../callers/spoken-call.ts";
import { readOptions } from "../options.ts";
import { configuration, SECRET_NAME } from "./configuration.ts";
import { Hotel } from "./hotel.ts";
import { readHotel, type Guest, type HotelScript } from "./script.ts";
import { HotelSystems, SECRET, type Desk } from "./systems.ts";
import { TypedGuest } from "./typed-guest.ts";
import { judge, type GuestCall } from "./verdict.ts";

const USAGE = `npm run eval:hotel -- [--voice] [--part work|final] [--at-once N]
Thirty scripted callers of a hotel desk: four webhooks and an MCP server, some of which hang, lie, redirect, crash or answer 10 MB.
They type over the OpenAI Realtime door of a new server with the starter models (or the configuration that OAKVOICE_CONFIG names).
With --voice they speak with synthetic voices over the native interface.
Prints every turn and call, then the tasks done by the state of the hotel, what was done twice, and replies that are not for ears.`;
/** After a tool's answer the model needs this time at most for its first words. */
const ANSWER_MS = 2_000;

const idOf = (index: number) => `guest-${String(index)}`;

async function main(): Promise<void> {
  const values = readOptions(USAGE, {
    voice: { type: "boolean", default: false },
    part: { type: "string" },
    "at-once": { type: "string", default: "2" },
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
    await withService(config, voices, systems.host, async (service) => {
      const waiting = [...guests];
      const line = async () => {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
          const [index, guest] = next;
          const hotel = desks.get(idOf(index))?.hotel ?? new Hotel([]);
          const voice = values.voice ? (script.voices[index % script.voices.length] ?? "") : undefined;
          calls.set(guest, await call(service, idOf(index), guest, hotel, voice));
        }
      };
      await Promise.all(Array.from({ length: Number(values["at-once"]) }, line));
    });
  } finally {
    systems.close();
  }
  report(script, calls);
  console.log(`requests that followed a redirect: ${String(systems.strays)}`);
}

/** One call, typed unless a voice is given. */
async function call(
  { port, key }: StartedService,
  configId: string,
  { turns }: Guest,
  hotel: Hotel,
  voice: string | undefined,
): Promise<GuestCall> {
  const base = `ws://127.0.0.1:${String(port)}`;
  const outcome = [];
  let id: string;
  if (voice === undefined) {
    const guest = new TypedGuest(`${base}/v1/realtime?model=${configId}`, key, hotel);
    await guest.connect();
    id = guest.id;
    for (const [place, { say }] of turns.entries()) {
      if (guest.isClosed) break;
      const replied = await guest.say(say, turns[place + 1]?.over === true ? "beginning" : "end");
      outcome.push({ said: say, heard: say, replied });
    }
    guest.close();
  } else {
    id = randomUUID();
    const toAddress = voiceAddress({ base, apiKey: key, configId });
    const isBusy = () => hotel.running > 0 || performance.now() - hotel.answeredMs < ANSWER_MS;
    const address = () => toAddress(id);
    outcome.push(...(await speakCall({ address, turns, voice, isOver: () => false, isBusy })));
  }
  const ending = await fetch(`http://127.0.0.1:${String(port)}/v1/calls/${id}/ending?field=transfer_to`, {
    headers: { authorization: `Bearer ${key}` },
  });
  return { hotel, turns: outcome, transferredTo: ending.ok ? await ending.text() : undefined };
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
