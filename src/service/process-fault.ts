import { errorCode, OakError, stackFrames } from "../shared/errors.ts";
import type { Log } from "../shared/log.ts";

/**
 * Resolves at the first exception outside the fault boundaries of calls. The state of the server is unknown then, so the server
 * must stop. An orderly stop lets current calls end as at a restart. Later exceptions are only logged.
 */
export function untilProcessFault(log: Log): Promise<OakError> {
  return new Promise((resolve) => {
    // Unhandled rejections arrive here too.
    process.on("uncaughtException", (error) => {
      log.fatal(
        { code: errorCode(error), stack: stackFrames(error) },
        "Exception outside all calls: the server stops.",
      );
      resolve(new OakError("Stopped after an internal error. The log has the place.", { code: "INTERNAL" }));
    });
  });
}
