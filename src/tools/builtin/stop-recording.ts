import { z } from "zod";
import type { CallControl, Tool } from "../../conversation/tool-calls/tool.ts";
import { builtInTool } from "./built-in-tool.ts";

/** For callers who withdraw in words that the language pack does not know. */
export const stopRecordingTool = ({ stopRecording }: CallControl): Tool =>
  builtInTool({
    name: "stop_recording",
    description: "Stops the recording of this call and erases it. Only when the caller does not want to be recorded.",
    parameters: z.object({}),
    run: () => ({ recording: stopRecording() ? "stopped and erased" : "unchanged: the caller did not ask for this" }),
  });
