import type { VoiceConfiguration } from "../config/voice-configuration.ts";
import type { CallControl, OpenTools, Tool } from "../conversation/tool-calls/tool.ts";
import { demoHouseTools } from "./builtin/demo-house.ts";
import { endCallTool, transferTool } from "./builtin/end-call.ts";
import { stopRecordingTool } from "./builtin/stop-recording.ts";
import type { TimerBook } from "./builtin/timer-book.ts";
import { timerTools } from "./builtin/timers.ts";
import type { Toolbox } from "./toolbox.ts";

/** Makes the tools of a call that the server carries out. */
export const openTools =
  (voice: VoiceConfiguration, toolbox: Toolbox, timers: TimerBook): OpenTools =>
  (call) => [
    ...toolbox.for(voice),
    ...voice.tools.flatMap((tool) => ("builtin" in tool ? builtIn(tool, call, timers) : [])),
  ];

type BuiltIn = Extract<VoiceConfiguration["tools"][number], { builtin: string }>;

function builtIn(tool: BuiltIn, call: CallControl, timers: TimerBook): readonly Tool[] {
  switch (tool.builtin) {
    case "timers":
      return timerTools(call, timers);
    case "end_call":
      return [endCallTool(call)];
    case "stop_recording":
      return [stopRecordingTool(call)];
    case "transfer":
      return [transferTool(call, tool.targets)];
    case "demo_house":
      return demoHouseTools(call);
  }
}
