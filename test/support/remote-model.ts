import { onTestFinished } from "vitest";
import { Egress } from "../../src/egress/egress.ts";
import type { AllowedHost } from "../../src/egress/host-rules.ts";
import {
  type GenerateRequest,
  type LanguageModel,
  textOf,
  type ToolCall,
} from "../../src/engines/llm/language-model.ts";
import { startRemoteLanguageModel } from "../../src/engines/llm/remote/remote-language-model.ts";
import { type Clock, systemClock } from "../../src/shared/clock.ts";
import { type Log, silentLog } from "../../src/shared/log.ts";
import * as chat from "./chat-events.ts";
import { type Answer, ToolServer } from "./tool-server.ts";

export const never: AbortSignal = new AbortController().signal;

const lights = {
  name: "set_lights",
  description: "Switches the lights.",
  parameters: { type: "object", properties: { room: { type: "string" } }, required: ["room"] },
};

export const request: GenerateRequest = {
  messages: [
    { role: "system", content: "You are Oak." },
    { role: "user", content: "Hello there." },
  ],
  tools: [lights],
  toolChoice: "auto",
  maxTokens: 20,
  temperature: 0,
};

interface RemoteOptions {
  readonly model?: string;
  readonly allowed?: readonly AllowedHost[];
  readonly clock?: Clock;
  readonly keyFile?: string;
  readonly extraBody?: Record<string, unknown>;
  readonly contextTokens?: number;
  readonly log?: Log;
}

/** The language model of the server at `url`, until the end of the test. */
export async function remoteModel(url: string, options: RemoteOptions = {}) {
  const { model: name = "big", keyFile, extraBody = {}, contextTokens = 4_096, clock = systemClock } = options;
  const model = await startRemoteLanguageModel({
    remote: { url, model: name, keyFile, extraBody },
    contextTokens,
    deadlineSeconds: 30,
    egress: new Egress(options.allowed ?? [new URL(url).host], { keepsConnections: true }),
    log: options.log ?? silentLog,
    clock,
  });
  onTestFinished(() => model.close());
  return model;
}

/** A server that is tried out and lists its models before it gives these answers, and the model on it. */
export async function serving(
  answers: readonly Answer[],
  options: RemoteOptions & { readonly serverContext?: number } = {},
) {
  const server = await ToolServer.start(chat.token, chat.models(options.serverContext ?? null), ...answers);
  onTestFinished(() => server.close());
  return { server, model: await remoteModel(`${server.url}v1`, options) };
}

/** A server that always tries out well, and answers requests for a reply with these answers, then with the last one. */
export async function replying(...answers: readonly Answer[]) {
  let count = 0;
  const server = await ToolServer.start((response, received) => {
    const isReply = received.body.includes('"stream":true');
    const reply = answers[Math.min((count += isReply ? 1 : 0), answers.length) - 1] ?? chat.token;
    (isReply ? reply : chat.token)(response, received);
  });
  onTestFinished(() => server.close());
  return { model: await remoteModel(`${server.url}v1`), replies: () => count };
}

export async function collect(pieces: AsyncIterable<string | ToolCall>) {
  const all: (string | ToolCall)[] = [];
  for await (const piece of pieces) all.push(piece);
  return all;
}

export async function wordsOf(pieces: AsyncIterable<string | ToolCall>): Promise<string[]> {
  const words: string[] = [];
  for await (const word of textOf(pieces)) words.push(word);
  return words;
}

export const ask = (model: LanguageModel, asked: Partial<GenerateRequest> = {}) =>
  collect(model.open().generate({ ...request, ...asked }, never));

/** The fields of a request, by default of the last one. */
export const bodyOf = (server: ToolServer, at = -1) =>
  JSON.parse(server.requests.at(at)?.body ?? "") as Record<string, unknown>;
