import { expect, test } from "vitest";
import { SERVER_EVENTS } from "../../../../src/doors/realtime/server/server-events.ts";
import { PIPECAT_EVENTS } from "../known-events.ts";

/** Only a client that asks for an idle timeout gets it. */
const ASKED_FOR = ["input_audio_buffer.timeout_triggered"];

test("Pipecat knows every event that is sent without being asked for", () => {
  const unknown = Object.keys(SERVER_EVENTS).filter((type) => !PIPECAT_EVENTS.includes(type));
  expect(unknown).toEqual(ASKED_FOR);
});
