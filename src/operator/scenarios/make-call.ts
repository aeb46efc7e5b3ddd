import { voiceAddress } from "../../client/address.ts";
import { SimulatedCaller, type AnswerCall } from "../../simulated-callers/caller.ts";
import { CallRecorder } from "../../simulated-callers/call-recorder.ts";
import type { Scenario } from "../../simulated-callers/scenario.ts";
import { viewCall, type CallView } from "./call-view.ts";
import type { Box } from "./own-box.ts";
import type { ScenarioTurn } from "./scenario-file.ts";

export interface MadeCall {
  readonly call: CallView;
  readonly seconds: number;
  /** WAV of both sides, the caller on the left channel. */
  readonly wav: () => Uint8Array;
}

/** Makes one call of a scenario in real time. @throws OakError `BENCH_FAILED` when the server refuses it. */
export async function makeCall(
  { base, key }: Box,
  scenario: Scenario,
  turns: readonly Pick<ScenarioTurn, "say">[],
  answerCall?: AnswerCall,
): Promise<MadeCall> {
  const [script] = scenario.callers;
  if (script === undefined) throw new RangeError("a scenario has at least one caller");
  const recorder = new CallRecorder();
  const caller = new SimulatedCaller(0, script, scenario, { answerCall, recorder });
  const beganMs = performance.now();
  await caller.connect(voiceAddress({ base, apiKey: key, configId: scenario.configId }));
  const record = await caller.run(0);
  return { call: viewCall(record, turns), seconds: (performance.now() - beganMs) / 1000, wav: () => recorder.wav() };
}
