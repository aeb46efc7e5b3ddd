import { z } from "zod";
import type { Tool } from "../../conversation/tool-calls/tool.ts";
import { builtInTool } from "./built-in-tool.ts";

/** @param withdraw Erases the record of the call. False when there is none. */
export const stopRecordingTool = (withdraw: () => boolean): Tool =>
  builtInTool({
    name: "stop_recording",
    description: "Stops the recording of this call and erases it. Only when the caller does not want to be recorded.",
    parameters: z.object({}),
    run: () => ({ recording: withdraw() ? "stopped and erased" : "this call was not being recorded" }),
  });
