import { MODEL_HZ } from "../../src/audio/format.ts";
import type { SampleRing } from "../../src/audio/ring-buffer.ts";
import { DEFAULT_SETTINGS } from "../../src/config/settings/session-settings.ts";
import { AudioInput } from "../../src/conversation/ear/audio-input.ts";
import { turnPolicy } from "../../src/conversation/turn/evidence/policy.ts";
import { step } from "../../src/conversation/turn/machine/machine.ts";
import { initialTurnState, type TurnEvent } from "../../src/conversation/turn/machine/turn-state.ts";
import type { SpeakerEncoder } from "../../src/engines/speaker/speaker-encoder.ts";
import type { VadEngine } from "../../src/engines/vad/voice-activity-detector.ts";
import { FaultBoundary } from "../../src/shared/fault-boundary.ts";
import { Tasks } from "../../src/shared/tasks.ts";
import { chunksOf, clock, raise } from "./front-end.ts";

/** A turn that the machine opened. Times in ms from the first sample. */
export interface OpenedTurn {
  readonly startMs: number;
  /** The audio that had arrived when it opened. */
  readonly openedMs: number;
}

/** The turns of a call through the whole front end. Each turn counts as one with words, as speech of any person is. */
export async function turnsThrough(
  samples: Float32Array,
  vad: VadEngine,
  encoder: SpeakerEncoder | undefined,
  onFailure: (error: unknown) => void = raise,
): Promise<{ readonly turns: readonly OpenedTurn[]; readonly ring: SampleRing }> {
  const opened: OpenedTurn[] = [];
  const scope = new AbortController();
  const policy = turnPolicy(
    { ...DEFAULT_SETTINGS.turnDetection, naturalPauses: false, speakingRateAdaptation: false },
    "anything",
  );
  let state = initialTurnState;
  let looking: Promise<unknown> | undefined;
  const watched = encoder && {
    ...encoder,
    embed: (clip: Float32Array, signal: AbortSignal) => {
      const vector = encoder.embed(clip, signal);
      looking = vector;
      return vector;
    },
  };
  const dispatch = (event: TurnEvent): void => {
    const next = step(state, event, policy);
    state = next.state;
    for (const effect of next.effects)
      if (effect.type === "open-turn")
        opened.push({ startMs: effect.startMs, openedMs: (1000 * input.ring.end) / MODEL_HZ });
      else if (effect.type === "commit-turn") {
        input.turnHadWords(effect.startMs, effect.endMs);
        dispatch({ type: "final", turn: effect.turn, empty: true });
      }
  };
  const input = new AudioInput({
    detector: vad.open(),
    speaker: watched && { encoder: watched, tasks: new Tasks(raise), onFailure },
    clock,
    signal: scope.signal,
    onFrame: (frame) => {
      dispatch(frame);
      return false;
    },
    onFailure: raise,
    faults: new FaultBoundary(raise),
  });
  for (const chunk of chunksOf(samples)) {
    input.push(chunk);
    while (looking !== undefined) {
      const before = looking;
      await before.catch(() => undefined);
      await new Promise((resolve) => setImmediate(resolve));
      if (looking === before) looking = undefined;
    }
  }
  scope.abort();
  return { turns: opened, ring: input.ring };
}
