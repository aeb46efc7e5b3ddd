import type { Chance } from "./chance.ts";
import { corrupt, mutate, notEvenJson, type JsonObject } from "./messages.ts";
import { hostileSchema } from "./schemas.ts";

const CORRECT = new Set([200, 400, 401, 403, 404, 413, 429]);

/** Asks for client secrets with hostile sessions and credentials. Returns the faults. */
export async function attackSecrets(url: string, key: string, chance: Chance, count: number): Promise<string[]> {
  const faults: string[] = [];
  for (let asked = 0; asked < count; asked += 1) {
    const authorization = chance.happens(0.9)
      ? `Bearer ${key}`
      : chance.pick(["", "Bearer", "Bearer ek_x", "Basic eA=="]);
    const body = bodyOf(chance);
    const answer = await fetch(`${url.replace(/^ws/u, "http")}/v1/realtime/client_secrets`, {
      method: "POST",
      headers: { authorization },
      body,
    }).catch((error: unknown) => error);
    // A body beyond the limit may end the socket before it is read.
    if (!(answer instanceof Response)) {
      if (body.length < 65_536) faults.push(`client secrets: ${String(answer)}`);
      continue;
    }
    await answer.text();
    if (!CORRECT.has(answer.status)) faults.push(`client secrets: status ${String(answer.status)}`);
  }
  return faults;
}

function bodyOf(chance: Chance): string {
  if (chance.happens(0.1)) return notEvenJson(chance);
  const body: JsonObject = {
    expires_after: { anchor: "created_at", seconds: chance.pick([10, 600, 7_200, 0, -1, 1e308, 9.5]) },
    session: {
      type: "realtime",
      model: chance.pick(["default", "gpt-realtime", "none", "__proto__"]),
      instructions: "x".repeat(chance.size(20_000)),
      tools: [{ type: "function", name: "f", parameters: hostileSchema(chance) }],
      prompt: Array.from({ length: chance.size(5_000) }, () => ({})),
      input_audio_format: "g711_ulaw",
    },
  };
  for (let changes = chance.int(4); changes > 0; changes -= 1) mutate(body, chance);
  const text = Buffer.from(JSON.stringify(body));
  return (chance.happens(0.15) ? corrupt(text, chance) : text).toString();
}
