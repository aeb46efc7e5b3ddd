import { fileURLToPath } from "node:url";
import { answered, isAlive, must, type Fault } from "./fault.ts";
import { HonestCaller } from "./honest-caller.ts";
import type { FaultPlace } from "./throw-in-session.ts";

const PRELOAD = fileURLToPath(new URL("./throw-in-session.js", import.meta.url));

/** A programming error in one call. Only that call ends, with `INTERNAL_ERROR`. */
const thrownIn = (place: FaultPlace, what: string): Fault => ({
  name: `a bug in ${what} of one call`,
  server: { flags: ["--import", PRELOAD], wrapper: ["env", `CHAOS_THROW_IN=${place}`] },
  async run(server, caller) {
    const victim = await HonestCaller.connect(server.urlOf);
    try {
      await answered(victim);
      const ended = new Promise<string>((resolve) => {
        victim.client.on("closed", (error) => resolve(error?.code ?? "by itself"));
      });
      server.signal("SIGUSR2");
      const { errors } = await victim.ask();
      must(isAlive(server.pid), "the server ended");
      must(errors.includes("INTERNAL_ERROR"), `the caller got ${JSON.stringify(errors)}`);
      must((await ended) === "INTERNAL_ERROR", `the call was closed with ${await ended}`);
      const others = errors.filter((code) => code !== "INTERNAL_ERROR" && !code.startsWith("closed")).length;
      must(others === 0, `the caller got other errors too: ${JSON.stringify(errors)}`);
    } finally {
      victim.close();
    }
    must(caller.client.state === "ready", "another call ended");
    await answered(caller);
    return "INTERNAL_ERROR for that caller; another call went on";
  },
});

export const SESSION_FAULTS: readonly Fault[] = [
  thrownIn("frame", "the audio path"),
  thrownIn("timer", "a timer"),
  thrownIn("task", "a promise"),
];
