import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { expect, onTestFinished, test, vi } from "vitest";
import { configuration } from "../../bench/hotel/configuration.ts";
import type { Fault } from "../../bench/hotel/faults.ts";
import { Hotel } from "../../bench/hotel/hotel.ts";
import { readHotel } from "../../bench/hotel/script.ts";
import { HotelSystems, SECRET } from "../../bench/hotel/systems.ts";
import { judge } from "../../bench/hotel/verdict.ts";
import { openVoiceStore } from "../../src/config/voice-store.ts";
import { Toolbox } from "../../src/tools/toolbox.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const script = readHotel();
const CARTER = { nights: 2, day: "friday", people: 3, name: "Helen Carter" };
const UNREADABLE = /cannot be read. The request may have been carried out/u;

/** The tools of one caller's hotel, as the server connects to them. */
async function desk(faults: Readonly<Record<string, Fault>> = {}) {
  const hotel = new Hotel([]);
  const systems = new HotelSystems(new Map([["guest", { hotel, faults: new Map(Object.entries(faults)) }]]));
  await systems.start();
  onTestFinished(() => systems.close());
  vi.stubEnv("OAKVOICE_HOTEL_SECRET", SECRET);
  const folder = temporaryFolder();
  const voice = { config_id: "guest", ...configuration(script, systems.host, "guest") };
  writeFileSync(join(folder, "guest.json"), JSON.stringify(voice));
  const log = pino({ level: "silent" });
  const toolbox = new Toolbox([systems.host], log);
  onTestFinished(() => toolbox.close());
  const store = await openVoiceStore(folder, log, toolbox);
  await toolbox.listed();
  const loaded = await store.get("guest");
  const tools = loaded === undefined ? [] : toolbox.for(loaded);
  const run = async (name: string, args: object) => {
    const tool = tools.find(({ definition }) => definition.name === name);
    const signal = new AbortController().signal;
    return await tool?.run({ ...args }, { callId: "call_1", connectionId: "c1", signal });
  };
  return { hotel, systems, run };
}

test("webhooks and the MCP server act on one hotel", async () => {
  const { hotel, run } = await desk();
  expect(await run("reserve_stay", CARTER)).toBe('{"reserved":true}');
  expect(await run("deliver", { room: 318, item: "towels", quantity: 4 })).toBe('{"ok":true}');
  expect(await run("bill_of_room", { room: 412 })).toBe('{"room":412,"bill":"240 dollars"}');
  expect(hotel.state).toMatchObject({
    stays: [{ ...CARTER, name: "helen carter" }],
    deliveries: [{ room: 318, item: "towels", quantity: 4 }],
  });
});

test.each([
  ["reserve_stay", "flood", UNREADABLE, 1],
  ["reserve_stay", "redirect", UNREADABLE, 0],
  ["reserve_stay", "crash", /failed. The request may have been carried out/u, 0],
  ["reserve_stay", "drop", /failed. The request may have been carried out/u, 1],
  ["deliver", "crash", /failed|refused/u, 0],
] as const)("%s with the fault %s is an error without the system's words, once", async (tool, fault, message, done) => {
  const { hotel, systems, run } = await desk({ [tool]: fault });
  const args = tool === "deliver" ? { room: 1, item: "ice" } : CARTER;
  await expect(run(tool, args)).rejects.toThrow(message);
  expect(hotel.calls).toHaveLength(done);
  await run(tool, args);
  expect(hotel.calls).toHaveLength(done + 1);
  expect(systems.strays).toBe(0);
});

test("a task is judged by the state, the ending and the last reply", () => {
  const [guest] = script.callers;
  if (guest === undefined) throw new Error("no callers");
  const hotel = new Hotel(script.stays);
  hotel.run("reserve_stay", CARTER);
  const turns = [{ said: "", heard: "", replied: "Your room is booked." }];
  const right = { isDone: true, twice: [], lost: [], unfit: [] };
  expect(judge(guest, script, { hotel, turns, transferredTo: undefined })).toEqual(right);
  expect(judge(guest, script, { hotel, turns, transferredTo: "manager" }).isDone).toBe(false);
  hotel.run("reserve_stay", CARTER);
  const replies = ["", 'Sure. {"nights": 2}', "I use reserve_stay.", "It says TypeError at pms."];
  const said = replies.map((replied) => ({ said: "hello", heard: "hello", replied }));
  expect(judge(guest, script, { hotel, turns: said, transferredTo: undefined })).toEqual({
    isDone: false,
    twice: [expect.stringMatching(/^reserve_stay/u)],
    lost: ["hello"],
    unfit: replies.slice(1),
  });
});
