import { errorCode, OakError, stackFrames } from "./shared/errors.ts";
import type { Log } from "./shared/log.ts";

/**
 * Resolves at the first exception outside every call's fault boundary. It may have left the server in any state, so the server
 * must not go on; stopping in order lets the calls under way end as they do at a restart. Later exceptions are only logged.
 */
export function untilProcessFault(log: Log): Promise<OakError> {
  return new Promise((resolve) => {
    // Unhandled rejections come here too.
    process.on("uncaughtException", (error) => {
      log.fatal({ code: errorCode(error), stack: stackFrames(error) }, "A fault outside all calls: the server stops.");
      resolve(new OakError("Stopped after a fault of the program. The log says where.", { code: "INTERNAL" }));
    });
  });
}
