import type { Answer, ReceivedRequest } from "./tool-server.ts";

export type WebHandler = (request: Request) => Promise<Response>;

/** Carries a request of Node to a handler of the web's form, and its answer back. */
export async function answerWith(
  handler: WebHandler,
  response: Parameters<Answer>[0],
  { method, headers, body }: ReceivedRequest,
): Promise<void> {
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  const init = { method, headers, signal: gone.signal, ...(body === "" ? {} : { body }) };
  const answer = await handler(new Request(`http://${headers["host"] ?? ""}/mcp`, init));
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  try {
    for await (const chunk of answer.body ?? []) response.write(chunk);
  } catch {
    // The client has left.
  }
  response.end();
}
