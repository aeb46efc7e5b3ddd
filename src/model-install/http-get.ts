import { once } from "node:events";
import { get as getPlain, type IncomingMessage, type OutgoingHttpHeaders } from "node:http";
import { get as getSecure } from "node:https";

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const MAX_REDIRECTS = 10;

/** A redirect that is never followed. */
export class RedirectRefused extends Error {}

/**
 * Sends a GET and follows redirects. `fetch` is not used: in Node 22 its assertion ends the process when a server closes a
 * connection whose data still waits for the disk.
 */
export async function httpGet(
  url: string,
  headers: OutgoingHttpHeaders,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  let from = new URL(url);
  for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
    const request = (from.protocol === "https:" ? getSecure : getPlain)(from, { headers, signal });
    // After the response has come, its reader gets later errors.
    request.on("error", () => undefined);
    const [response] = (await once(request, "response")) as [IncomingMessage];
    const { location } = response.headers;
    if (!REDIRECTS.has(response.statusCode ?? 0) || location === undefined) return response;
    response.destroy();
    const to = new URL(location, from);
    if (from.protocol === "https:" && to.protocol !== "https:")
      throw new RedirectRefused(`it redirects to ${to.host} without encryption`);
    from = to;
  }
  throw new RedirectRefused("it redirects without end");
}
