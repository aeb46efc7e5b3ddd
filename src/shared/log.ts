import { pino, type Logger } from "pino";
import { isatty } from "node:tty";
import { LogSink } from "./log-sink.ts";
import { readableLine } from "./readable-line.ts";

/** Lines on stderr. Never pass a caller's words or audio: ids, codes, counts and times only. */
export type Log = Logger;

const STDERR = 2;

/** @param format "auto": readable lines on a terminal, JSON elsewhere. */
export function createLog(level: string, format: "auto" | "json" = "auto"): Log {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  // Opens the stream: Node then makes a pipe non-blocking, so that a stalled reader cannot stop the calls.
  void process.stderr;
  const sink = new LogSink(STDERR, (count, cause) => {
    let line = "";
    pino(options, { write: (text: string) => (line = text) }).warn({ count, cause }, "log lines were lost");
    return line;
  });
  process.once("exit", () => sink.flush());
  if (format === "json" || !isatty(STDERR)) return pino(options, sink);
  return pino(options, { write: (line: string) => sink.write(readableLine(line)) });
}

export const silentLog: Log = pino({ level: "silent" });
