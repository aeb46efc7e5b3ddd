import { OakError } from "../../../shared/errors.ts";
import type { ConnectRequest, Handshake } from "../../door.ts";
import { isForeignModel } from "./foreign-model.ts";
import { newId } from "../items/ids.ts";

const PATH = /^\/v1\/realtime\/?(?=\?|$)/u;
/** Browsers cannot set headers: a subprotocol carries their key. */
const KEY_PROTOCOL = "openai-insecure-api-key.";

export const isRealtimePath = (url: string): boolean => PATH.test(url);

/** `?model=` is the config_id. @throws OakError `INVALID_CONNECT_REQUEST`. */
export function parseConnectRequest({ url, headers }: Handshake): ConnectRequest {
  const query = new URLSearchParams(url.replace(PATH, ""));
  for (const name of ["model", "call_id", "intent", "api_key"]) {
    if (query.getAll(name).length > 1) throw invalid(`${name} is given more than once.`);
  }
  if (query.has("call_id")) throw invalid("call_id is for WebRTC and SIP calls, which this server does not have.");
  if (query.get("intent") === "transcription") throw invalid("Only conversations are served: leave out intent.");
  const model = query.get("model") ?? "";
  const apiKey = query.get("api_key");
  return {
    connectionId: newId("sess"),
    configId: model === "" ? undefined : model,
    mayFallBack: isForeignModel(model),
    projectId: undefined,
    credentials: {
      query: new URLSearchParams(apiKey === null ? {} : { api_key: apiKey }),
      header: headers.authorization ?? keyHeaderOf(headers) ?? bearerOf(headers),
    },
  };
}

/** Clients of other services with this protocol send their key in the header `api-key`. */
function keyHeaderOf({ "api-key": key }: Handshake["headers"]): string | undefined {
  return typeof key === "string" && key !== "" ? `Bearer ${key}` : undefined;
}

function bearerOf(headers: Handshake["headers"]): string | undefined {
  const protocols = (headers["sec-websocket-protocol"] ?? "").split(",").map((name) => name.trim());
  const key = protocols.find((name) => name.startsWith(KEY_PROTOCOL))?.slice(KEY_PROTOCOL.length);
  return key === undefined ? undefined : `Bearer ${key}`;
}

const invalid = (message: string) => new OakError(message, { code: "INVALID_CONNECT_REQUEST" });
