import { createHmac } from "node:crypto";

/** The key of a secret: base64 after `whsec_`, or plain text. */
export const signingKey = (secret: string): Buffer =>
  secret.startsWith("whsec_") ? Buffer.from(secret.slice("whsec_".length), "base64") : Buffer.from(secret);

/** Headers of a JSON message that is signed as Standard Webhooks describes (docs/tools.md). @param id The same for each attempt. */
export function webhookHeaders(key: Buffer, id: string, body: string, nowMs: number): Record<string, string> {
  const seconds = String(Math.floor(nowMs / 1000));
  const signature = createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64");
  return {
    "content-type": "application/json",
    "user-agent": "oakvoice",
    "webhook-id": id,
    "webhook-timestamp": seconds,
    "webhook-signature": `v1,${signature}`,
  };
}
