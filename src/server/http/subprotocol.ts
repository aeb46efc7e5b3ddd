/** A browser's credentials among the offered subprotocols: an API key, a client secret or a token. */
const CREDENTIALS = /api-key|oak_|ek_|eyJ/u;

/** The subprotocol of the answer. Credentials are never part of it, because proxies log it. False: none. */
export function chooseSubprotocol(offered: ReadonlySet<string>): string | false {
  if (offered.has("realtime")) return "realtime";
  return [...offered].find((name) => !CREDENTIALS.test(name)) ?? false;
}
