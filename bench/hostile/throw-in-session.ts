/**
 * Loaded into the server before its program (`node --import`). After SIGUSR2 the next session that reaches the place
 * in CHAOS_THROW_IN throws one exception there.
 */
import { Responder } from "../../src/conversation/reply/responder.ts";
import { EmotionWatch } from "../../src/conversation/ear/emotion-watch.ts";
import { VoiceEncoder } from "../../src/doors/voice/encode.ts";

// oxlint-disable unbound-method -- each is applied to its `this`

export type FaultPlace = "frame" | "timer" | "task";

let isArmed = false;
process.on("SIGUSR2", () => (isArmed = true));

function throwOnce(): void {
  if (!isArmed) return;
  isArmed = false;
  throw new TypeError("a bug that chaos put here");
}

/** Whether the caller of this function is a timer, rather than a message or a promise. */
function isInTimer(): boolean {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 100;
  const { stack = "" } = new Error();
  Error.stackTraceLimit = limit;
  return stack.includes("listOnTimeout");
}

const PLACES: Readonly<Record<FaultPlace, () => void>> = {
  frame() {
    const { onFrame } = EmotionWatch.prototype;
    EmotionWatch.prototype.onFrame = function (...args) {
      throwOnce();
      onFrame.apply(this, args);
    };
  },
  timer() {
    const { encode } = VoiceEncoder.prototype;
    // The player's timer sends speech.
    VoiceEncoder.prototype.encode = function (event) {
      if (event.type === "reply-audio" && isInTimer()) throwOnce();
      return encode.call(this, event);
    };
  },
  task() {
    const { start } = Responder.prototype;
    Responder.prototype.start = async function (...args) {
      await Promise.resolve();
      throwOnce();
      return start.apply(this, args);
    };
  },
};

PLACES[process.env["CHAOS_THROW_IN"] as FaultPlace]();
