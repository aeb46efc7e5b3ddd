import { pino, type Logger } from "pino";

/** JSON lines on stderr. Never pass a caller's words or audio: ids, codes, counts and times only. */
export type Log = Logger;

export function createLog(level: string): Log {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ dest: 2, sync: true }),
  );
}

export const silentLog: Log = pino({ level: "silent" });
