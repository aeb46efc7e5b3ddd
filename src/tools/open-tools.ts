import type { VoiceConfiguration } from "../config/voice-configuration.ts";
import type { CallControl, OpenTools, Tool } from "../conversation/tool-calls/tool.ts";
import { DEFAULT_LANGUAGE } from "../language/language-setting.ts";
import { languageOf } from "../language/packs/languages.ts";
import { systemClock } from "../shared/clock.ts";
import { demoHouseTools } from "./builtin/demo-house.ts";
import { endCallTool, transferTool } from "./builtin/end-call.ts";
import { stopRecordingTool } from "./builtin/stop-recording.ts";
import { TimerBook } from "./builtin/timer-book.ts";
import { timerTools } from "./builtin/timers.ts";
import type { Toolbox } from "./toolbox.ts";

/** Makes the tools of a call that the server carries out. */
export const openTools =
  (voice: VoiceConfiguration, toolbox: Toolbox, timers: TimerBook): OpenTools =>
  (call) => [
    ...toolbox.for(voice),
    ...voice.tools.flatMap((tool) => ("builtin" in tool ? builtIn(tool, call, timers) : [])),
  ];

/** The definitions of these tools, for a prompt before any call. */
export function toolDefinitions(voice: VoiceConfiguration, toolbox: Toolbox): readonly Tool["definition"][] {
  const timers = new TimerBook(systemClock);
  const nobody: CallControl = {
    voice,
    language: () => languageOf(DEFAULT_LANGUAGE),
    signal: new AbortController().signal,
    onReady: () => undefined,
    show: () => undefined,
    keepState: () => undefined,
    keepTimers: () => undefined,
    say: () => false,
    stopRecording: () => false,
    end: () => undefined,
  };
  return openTools(voice, toolbox, timers)(nobody).map(({ definition }) => definition);
}

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
