import { silence } from "../../test/support/audio.ts";
import { Line, starterEngines } from "../../test/support/line.ts";
import { Loudspeaker } from "../../test/support/loudspeaker.ts";
import { HALVES, isInHalf, readOptions } from "../options.ts";

const USAGE = `npm run bench:echo -- [--half even|odd|both]
Counts the greetings that stop themselves: a client without echo cancellation, whose loudspeaker returns to its microphone. It uses the
models that ship, in virtual time. Room: 60 reflections within 0.15 s, eight times the power of the direct sound. --half: part of the greetings.`;

const GREETINGS = [
  "Hello, this is the Grand Hotel. How may I help you today?",
  "Thank you for calling the city library. We are open until eight this evening.",
  "Good morning, you have reached ward seven. Who would you like to speak to?",
  "Your table for four is booked for half past seven. Is there anything else?",
  "Welcome to Northern Bank. Please tell me what your call is about.",
  "Hi, I'm Oak. You can ask me for the time, for timers and for the lights.",
  "This is the practice of Doctor Weber. If this is an emergency, please hang up now.",
  "Dear guest, breakfast is served from seven to ten in the winter garden.",
];
/** Level of the echo beside the reply in dB, and its delay in ms. */
const PLACES = [
  [-4, 200],
  [-7, 60],
  [-10, 120],
] as const;

const BOTH = "both";
const { half } = readOptions(USAGE, { half: { type: "string", default: BOTH } }, { half: [...HALVES, BOTH] });
const chosen = [...GREETINGS.entries()].filter(([at]) => half === BOTH || isInHalf(half, at));
const engines = await starterEngines();

for (const [room, reflections] of [
  ["no reflections", 0],
  ["60 reflections", 60],
] as const) {
  let stopped = 0;
  for (const [, greeting] of chosen) {
    for (const [echoDb, delayMs] of PLACES) {
      await using line = new Line(engines, { voice: { greeting } });
      await new Loudspeaker(line, echoDb, delayMs, reflections).speak(silence(7));
      const heard = line.all("turn_end").map(({ data }) => data.transcript);
      const isStopped = line.all("tts_interruption").length > 0 || heard.length > 0;
      if (!isStopped) continue;
      stopped += 1;
      console.log(`  ${String(echoDb)} dB, ${String(delayMs)} ms: "${greeting}" heard as ${JSON.stringify(heard)}`);
    }
  }
  console.log(`${room}: ${String(stopped)} of ${String(chosen.length * PLACES.length)} greetings stop themselves`);
}
process.exit();
