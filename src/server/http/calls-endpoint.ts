import type { IncomingMessage, ServerResponse } from "node:http";
import { z } from "zod";
import { authorize, type Authenticator, type Identity } from "../../auth/authenticate.ts";
import type { VoiceConfiguration } from "../../config/voice-configuration.ts";
import type { SayWhen } from "../../conversation/reply/reply-requests.ts";
import { spokenText } from "../../doors/spoken-text.ts";
import { errorCode, errorMessage, OakError } from "../../shared/errors.ts";
import { answerJson, bodyText } from "../../shared/json-http.ts";
import type { CallEndings } from "../calls/call-endings.ts";

const PATH = /^\/v1\/calls\/([^/]+)\/(say|ending)$/u;

const sayBody = z.strictObject({ text: spokenText, when: z.enum(["next", "now"]).default("next") });
const endingField = z.enum(["transfer_to", "reason", "summary"]).nullable();

const STATUS: Readonly<Record<string, number>> = {
  MISSING_CREDENTIALS: 401,
  INVALID_API_KEY: 401,
  INVALID_TOKEN: 401,
  TOKEN_EXPIRED: 401,
  NOT_PERMITTED: 403,
  CALL_NOT_FOUND: 404,
  INVALID_MESSAGE: 400,
  TOO_MANY_TEXTS: 429,
};

/** A call that is open now. */
export interface OpenCall {
  readonly voice: VoiceConfiguration;
  /** False when too many texts wait. */
  say(text: string, when: SayWhen): boolean;
}

export interface CallsEndpointOptions {
  readonly auth: Authenticator;
  readonly findCall: (connectionId: string) => OpenCall | undefined;
  readonly endings: CallEndings;
}

/** True for a request that makes the assistant speak, which has a body. */
export const isSayRequest = ({ method, url }: IncomingMessage): boolean =>
  method === "POST" && PATH.exec(pathOf(url))?.[2] === "say";

/**
 * `POST /v1/calls/{id}/say` speaks a text in an open call; the credentials need the permission `say`. `GET /v1/calls/{id}/ending`
 * returns how the assistant ended a call, for a telephone system that goes on with it.
 */
export function callsEndpoint(options: CallsEndpointOptions) {
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const [, id = "", action] = PATH.exec(pathOf(request.url)) ?? [];
    if (action === undefined || request.method !== (action === "say" ? "POST" : "GET")) return false;
    const work = action === "say" ? say(options, request, id) : ending(options, request, id);
    work.then(
      ({ status, body }) => answer(response, status, body),
      (error: unknown) => {
        const code = errorCode(error);
        const status = STATUS[code] ?? 500;
        const message = status === 500 ? "The request could not be answered; try again." : errorMessage(error);
        answer(response, status, { error: { code: status === 500 ? "INTERNAL_ERROR" : code, message } });
      },
    );
    return true;
  };
}

interface Answer {
  readonly status: number;
  /** A string is sent as plain text. */
  readonly body: object | string;
}

function answer(response: ServerResponse, status: number, body: Answer["body"]): void {
  if (typeof body !== "string") return answerJson(response, status, body);
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" }).end(body);
}

async function say({ auth, findCall }: CallsEndpointOptions, request: IncomingMessage, id: string): Promise<Answer> {
  const identity = await authenticate(auth, request);
  if (identity.permissions?.includes("say") !== true) {
    throw new OakError('The credentials lack the permission "say" ("oakvoice keys create --allow say").', {
      code: "NOT_PERMITTED",
    });
  }
  const call = allowed(identity, findCall(id));
  const { text, when } = parse(sayBody, jsonOf(await bodyText(request)));
  if (!call.say(text, when)) throw new OakError("Too many texts wait to be spoken.", { code: "TOO_MANY_TEXTS" });
  return { status: 202, body: { status: "accepted" } };
}

async function ending({ auth, endings }: CallsEndpointOptions, request: IncomingMessage, id: string): Promise<Answer> {
  const identity = await authenticate(auth, request);
  const { transferTo, reason, summary } = allowed(identity, endings.find(id)).ending;
  const field = parse(endingField, new URLSearchParams(request.url?.split("?")[1]).get("field"));
  const body = { transfer_to: transferTo ?? "", reason, summary };
  return { status: 200, body: field === null ? body : body[field] };
}

const authenticate = (auth: Authenticator, { headers }: IncomingMessage): Promise<Identity> =>
  auth.authenticate({ query: new URLSearchParams(), header: headers.authorization });

/** A call of another project looks like a call that does not exist. */
function allowed<Call extends { readonly voice: VoiceConfiguration }>(
  identity: Identity,
  call: Call | undefined,
): Call {
  try {
    if (call !== undefined) {
      authorize(identity, call.voice, undefined);
      return call;
    }
  } catch {
    // Answered as below.
  }
  throw new OakError("No call has this id.", { code: "CALL_NOT_FOUND" });
}

function parse<Output>(schema: z.ZodType<Output>, value: unknown): Output {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [first] = parsed.error.issues;
  const field = first?.path.join(".") || "field";
  throw new OakError(`${field}: ${first?.message ?? "wrong"}`, { code: "INVALID_MESSAGE" });
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new OakError("The body must be JSON.", { code: "INVALID_MESSAGE" });
  }
}

const pathOf = (url = ""): string => url.split("?", 1)[0] ?? "";
