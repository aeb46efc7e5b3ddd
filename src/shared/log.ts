import { pino, type Logger } from "pino";
import { LogSink } from "./log-sink.ts";

/** JSON lines on stderr. Never pass a caller's words or audio: ids, codes, counts and times only. */
export type Log = Logger;

const STDERR = 2;

export function createLog(level: string): Log {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  // Opens the stream: Node then makes a pipe non-blocking, so that a stalled reader cannot stop the calls.
  void process.stderr;
  const sink = new LogSink(STDERR, (count, cause) => {
    let line = "";
    pino(options, { write: (text: string) => (line = text) }).warn({ count, cause }, "log lines were lost");
    return line;
  });
  process.once("exit", () => sink.flush());
  return pino(options, sink);
}

export const silentLog: Log = pino({ level: "silent" });
