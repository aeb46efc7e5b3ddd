import type { IncomingMessage, ServerResponse } from "node:http";

/** The body of a request. The server limits its length and its time. */
export async function bodyText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** Throws before anything is sent when the body cannot be written as JSON. */
export function answerJson(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" }).end(text);
}
