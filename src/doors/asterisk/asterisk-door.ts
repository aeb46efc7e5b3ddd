import type { Door } from "../door.ts";
import { pathOf } from "../telephone/connect-request.ts";
import { telephoneDoor } from "../telephone/telephone-door.ts";
import { decodeAsterisk } from "./decode.ts";

/** Asterisk's WebSocket channel (`chan_websocket`), described in docs/telephone.md. */
export const asteriskDoor = (): Door =>
  telephoneDoor({
    matches: (url) => pathOf(url) === "/ws/asterisk",
    pathParameters: () => ({}),
    formats: "slin24, slin16, slin, ulaw or alaw",
    decode: decodeAsterisk,
  });
