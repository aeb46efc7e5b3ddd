import type { Answer } from "./tool-server.ts";

export const EVENT_STREAM = { "content-type": "text/event-stream" };

interface Delta {
  readonly content?: string | null;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly object[];
}

/** One event of a streamed chat completion. */
export const event = (delta: Delta, finish: string | null = null): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

export const text = (content: string): string => event({ content });
export const stop = event({}, "stop");
export const usage = (prompt: number, cached: number): string =>
  `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: prompt, completion_tokens: 2, prompt_tokens_details: { cached_tokens: cached } } })}\n\n`;
export const done = "data: [DONE]\n\n";

/** A whole answer with these events. */
export const stream =
  (...events: readonly string[]): Answer =>
  (response) =>
    void response.writeHead(200, EVENT_STREAM).end(events.join(""));

/** The beginning of an answer that never ends. */
export const endless =
  (...events: readonly string[]): Answer =>
  (response) => {
    response.writeHead(200, EVENT_STREAM);
    response.flushHeaders();
    if (events.length > 0) response.write(events.join(""));
  };

/** An answer whose connection breaks after these events. */
export const broken =
  (...events: readonly string[]): Answer =>
  (response) => {
    response.writeHead(200, EVENT_STREAM);
    response.write(events.join(""), () => response.destroy());
  };

/** The server's answer to the request of one token that tries it out. */
export const token: Answer = (response) =>
  void response
    .writeHead(200, { "content-type": "application/json" })
    .end('{"choices":[{"message":{"content":"Hi"}}]}');

/** The list of its models. */
export const models =
  (contextTokens: number | null): Answer =>
  (response) =>
    void response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ data: [{ id: "big", max_model_len: contextTokens }] }));
