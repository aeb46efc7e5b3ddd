import { z } from "zod";
import {
  audioInputSchema,
  clientEnvelopeSchema,
  recordingConsentSchema,
  saySchema,
  textInputSchema,
  toolResultSchema,
} from "./client-messages.ts";
import { serverMessageSchema, type ServerMessageType } from "./server-messages.ts";
import { sessionSettingsPatchSchema } from "../../config/settings/settings-schema.ts";

type Json = { readonly [key: string]: unknown };

/** At least one byte of base64 in a form that `bytesOfBase64` accepts: groups of four characters, then two to four, with white space. */
const someBytes = z
  .string()
  .regex(/^[\t\n\r ]*(?:(?:[A-Za-z0-9+/_-][\t\n\r ]*){4})*(?:[A-Za-z0-9+/_-][\t\n\r ]*){2,4}(?:=[\t\n\r ]*){0,2}$/u)
  .meta({ contentEncoding: "base64" });

const CLIENT_MESSAGES = {
  session_settings: {
    summary:
      "Changes settings; the first one makes the session ready. Answered with status ready, or error INVALID_SETTINGS.",
    payload: clientEnvelopeSchema.extend({
      type: z.literal("session_settings"),
      data: sessionSettingsPatchSchema.nullish(),
    }),
  },
  audio_input: {
    summary:
      "Speech: base64 of PCM 16-bit little-endian mono 24 kHz, 100 to 200 ms at a time. A binary frame does the same.",
    payload: clientEnvelopeSchema.extend({
      type: z.literal("audio_input"),
      data: audioInputSchema.extend({ audio: someBytes }),
    }),
  },
  keep_alive: {
    summary: "Answered with status alive, whose details.reply_to is this message's id.",
    payload: clientEnvelopeSchema.omit({ data: true }).extend({ type: z.literal("keep_alive") }),
  },
  tool_result: {
    summary: "The result of a tool_call that the client carries out.",
    payload: clientEnvelopeSchema.extend({ type: z.literal("tool_result"), data: toolResultSchema }),
  },
  say: {
    summary: "Text for the assistant to say. The credentials need the permission say.",
    payload: clientEnvelopeSchema.extend({ type: z.literal("say"), data: saySchema }),
  },
  text_input: {
    summary: "Words that the caller types. They are answered as spoken words are.",
    payload: clientEnvelopeSchema.extend({ type: z.literal("text_input"), data: textInputSchema }),
  },
  recording_consent: {
    summary:
      "The caller's yes or no to a record of the call, given outside the conversation. A no also withdraws an earlier yes.",
    payload: clientEnvelopeSchema.extend({ type: z.literal("recording_consent"), data: recordingConsentSchema }),
  },
};

const SERVER_SUMMARIES: Readonly<Record<ServerMessageType, string>> = {
  connection_metadata: "The first message of every accepted connection.",
  status: "Answers session_settings (ready) and keep_alive (alive). Announces that the server stops (draining).",
  transcription: "The caller's words, partial and final, with times and confidence of each word.",
  llm_response_chunk: "A piece of the reply's text. The last piece of each generation_id is empty and is_final.",
  tts_chunk: "A piece of the reply's speech: base64 of PCM 16-bit little-endian mono 24 kHz.",
  emotion_update: "The emotion in the caller's voice, in both payload shapes of the interface at once.",
  turn_start: "The caller began to speak.",
  turn_end: "The caller's turn has ended. The reply follows.",
  turn_interrupted: "A turn or a reply was cut off, with the reason.",
  voice_activity: "Levels of voice and of noise, every 0.2 s of audio.",
  tts_interruption: "The reply was interrupted: stop playing at once.",
  tool_call: "A tool runs. Only with the setting tool_calls.",
  tool_call_end: "A tool has ended. Only with the setting tool_calls.",
  tool_state: "State that a tool shows, such as the demonstration house. Only with the setting tool_calls.",
  call_end: "The assistant ends or transfers the call; the connection closes next. Only with the setting tool_calls.",
  error: "An error. docs/protocol.md lists the codes, and those that end the connection.",
};

/** The interface as an AsyncAPI 3.0 document, generated from the schemas that check messages. */
export function asyncApiDocument(): Json {
  const client = Object.entries(CLIENT_MESSAGES).map(([name, { summary, payload }]) =>
    messageOf(name, summary, payload),
  );
  const server = serverMessageSchema.options.map((payload) => {
    const name = payload.shape.type.value;
    return messageOf(name, SERVER_SUMMARIES[name], payload);
  });
  const binary = {
    name: "binary_audio",
    title: "binary frame",
    summary:
      "Speech as a binary WebSocket frame: PCM 16-bit little-endian mono 24 kHz, whole samples, without an envelope.",
    contentType: "application/octet-stream",
    payload: { type: "string", format: "binary" },
  };
  const toServer = [...client, binary];
  const messages = Object.fromEntries([...toServer, ...server].map((message) => [message.name, message]));
  return {
    asyncapi: "3.0.0",
    info: {
      title: "Oakvoice",
      version: "1.0.0",
      description:
        "Real-time voice conversation over one WebSocket. Generated from src/doors/voice/ by `npm run asyncapi`; docs/protocol.md has the rules that a schema cannot express.",
      license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" },
    },
    defaultContentType: "application/json",
    servers: {
      box: {
        host: "{host}",
        protocol: "wss",
        description: "The server. Use ws on the same machine or behind a proxy that ends TLS.",
        variables: { host: { default: "127.0.0.1:8787", description: "Name or address, and port." } },
        security: [
          { $ref: "#/components/securitySchemes/apiKey" },
          { $ref: "#/components/securitySchemes/token" },
          { $ref: "#/components/securitySchemes/tokenInQuery" },
        ],
      },
    },
    channels: {
      voice: {
        address: "/ws/voice/{connection_id}",
        description: "One conversation.",
        parameters: {
          connection_id: { description: "1 to 128 of A-Z a-z 0-9 . _ ~ -; a fresh UUID v4 for each connection." },
        },
        bindings: { ws: { method: "GET", query: toJson(connectQuerySchema), bindingVersion: "0.1.0" } },
        messages: Object.fromEntries(
          Object.keys(messages).map((name) => [name, { $ref: `#/components/messages/${name}` }]),
        ),
      },
    },
    operations: {
      ...Object.fromEntries(toServer.map(({ name, summary }) => operationOf("receive", name, summary))),
      ...Object.fromEntries(server.map(({ name, summary }) => operationOf("send", name, summary))),
    },
    components: {
      messages,
      securitySchemes: {
        apiKey: { type: "httpApiKey", in: "query", name: "api_key", description: "oak_ and 43 characters." },
        token: { type: "http", scheme: "bearer", bearerFormat: "JWT" },
        tokenInQuery: {
          type: "httpApiKey",
          in: "query",
          name: "authorization",
          description: "`Bearer <JWT>`, for browsers, which cannot set the header.",
        },
      },
    },
  };
}

const connectQuerySchema = z.object({
  config_id: z.string().min(1).describe("The voice configuration; `default` always exists."),
  api_key: z.string().optional(),
  authorization: z.string().optional(),
  project_id: z.string().optional().describe("Must be the configuration's, when given."),
  resume_token: z.string().optional().describe("Goes on with the conversation of a lost connection."),
  resume_received: z.int().min(0).optional().describe("Number of tts_chunk messages that the lost connection brought."),
});

function messageOf(name: string, summary: string, payload: z.ZodType) {
  return { name, title: name, summary, contentType: "application/json", payload: toJson(payload) };
}

function operationOf(action: "send" | "receive", name: string, summary: string) {
  const channel = { $ref: "#/channels/voice" };
  return [name, { action, channel, summary, messages: [{ $ref: `#/channels/voice/messages/${name}` }] }] as const;
}

/** The form on the wire, before any transformation. Objects stay open, because receivers ignore unknown fields. */
function toJson(schema: z.ZodType): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: "input", target: "draft-7" });
  return json;
}
