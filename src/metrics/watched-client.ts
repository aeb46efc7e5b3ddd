import type { ClientPort } from "../conversation/session-interface.ts";
import type { ServerData, ServerMessageType } from "../doors/voice/server-messages.ts";
import type { Log } from "../shared/log.ts";
import type { Metrics } from "./metrics.ts";

/** Times of one turn, ms of a steady clock. */
interface TurnTimes {
  readonly finalMs: number;
  textMs?: number;
}

/**
 * The same client; what the session sends it is timed on the way: from a turn's final transcript to the reply's first
 * text and first speech. One log line a turn, without a word of it.
 */
export function watchedClient(client: ClientPort, connectionId: string, metrics: Metrics, log: Log): ClientPort {
  let turn: TurnTimes | undefined;
  const watch: { [Type in ServerMessageType]?: (data: ServerData[Type]) => void } = {
    transcription({ is_speech_final }) {
      if (!is_speech_final) return;
      metrics.turns.inc();
      turn = { finalMs: performance.now() };
    },
    llm_response_chunk({ content }) {
      if (turn === undefined || turn.textMs !== undefined || content === "") return;
      turn.textMs = performance.now();
      metrics.stage.observe({ stage: "final_to_text" }, (turn.textMs - turn.finalMs) / 1000);
    },
    tts_chunk() {
      if (turn === undefined) return;
      const speechMs = performance.now() - turn.finalMs;
      metrics.stage.observe({ stage: "final_to_speech" }, speechMs / 1000);
      const textMs = (turn.textMs ?? turn.finalMs) - turn.finalMs;
      turn = undefined;
      log.info(
        { connection: connectionId, textMs: Math.round(textMs), speechMs: Math.round(speechMs) },
        "turn answered",
      );
    },
    turn_interrupted: ({ interruption_type }) => metrics.interruptions.inc({ type: interruption_type }),
    error: ({ error_code }) => metrics.failures.inc({ code: error_code }),
  };
  return {
    send(type, data) {
      watch[type]?.(data);
      client.send(type, data);
    },
  };
}
