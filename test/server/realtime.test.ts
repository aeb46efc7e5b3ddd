import { describe, expect, test } from "vitest";
import { revokeApiKey } from "../../src/auth/api-keys.ts";
import { RealtimeCaller } from "../support/realtime-caller.ts";
import { startWireServer } from "./support.ts";

const browser = (key: string) => ["realtime", `openai-insecure-api-key.${key}`, "openai-agents-sdk.1"];

test("a key or a token opens the configuration that model names, in a header or a subprotocol", async () => {
  const { server, key, token, sessions } = await startWireServer();
  const address = `${server.url}/v1/realtime`;
  const callers = [
    new RealtimeCaller(address, key),
    new RealtimeCaller(`${address}?model=bank`, await token({ configId: "bank" })),
    new RealtimeCaller(`${address}?model=bank`, undefined, browser(key)),
    new RealtimeCaller(`${address}?model=gpt-realtime`, key),
  ];
  const models = [];
  for (const caller of callers) {
    const { session } = await caller.next("session.created");
    models.push(session["model"]);
    caller.check();
  }
  expect(models).toEqual(["default", "bank", "bank", "default"]);
  expect(callers[2]?.socket.protocol).toBe("realtime");
  expect(sessions.every(({ ready }) => ready)).toBe(true);
});

test.each([
  ["no key", "", undefined, 4401, "missing_credentials"],
  ["a wrong key", "", `oak_${"x".repeat(43)}`, 4401, "invalid_api_key"],
  ["an unknown configuration", "?model=nowhere", "right", 4404, "config_not_found"],
  ["two models", "?model=a&model=b", "right", 4400, "invalid_connect_request"],
  ["transcription only", "?intent=transcription", "right", 4400, "invalid_connect_request"],
])("%s: an error event, then the close code of the native door", async (_, query, given, code, error) => {
  const { server, key } = await startWireServer();
  const caller = new RealtimeCaller(`${server.url}/v1/realtime${query}`, given === "right" ? key : given);
  expect((await caller.closed).code).toBe(code);
  expect(caller.all("error")[0]?.error).toMatchObject({ code: error });
});

test("wrong events get an error each, and the connection goes on", async () => {
  const { server, key, sessions } = await startWireServer();
  const caller = new RealtimeCaller(`${server.url}/v1/realtime`, key);
  await caller.next("session.created");
  caller.socket.send("{");
  caller.socket.send(Buffer.alloc(10));
  caller.send("input_audio_buffer.append", { event_id: "a", audio: "###" });
  caller.send("input_audio_buffer.append", { event_id: "b", audio: Buffer.alloc(3).toString("base64") });
  caller.send("session.update", { event_id: "c", session: { type: "transcription" } });
  caller.send("input_audio_buffer.append", { audio: Buffer.alloc(4_800).toString("base64") });
  caller.send("input_audio_buffer.commit");
  caller.send("input_audio_buffer.clear");
  await caller.next("input_audio_buffer.cleared");
  const errors = caller.all("error").map(({ error }) => [error.code, error.event_id]);
  expect(errors).toEqual([
    ["invalid_json", null],
    ["invalid_event", null],
    ["invalid_value", "a"],
    ["invalid_value", "b"],
    ["invalid_value", "c"],
  ]);
  expect(sessions[0]?.audio[0]?.length).toBe(4_800);
  expect(sessions[0]?.commands).toEqual(["endTurn", "dropTurn"]);
  caller.check();
});

test("a client that answers pings is not idle", async () => {
  const { server, key, clock } = await startWireServer({ limits: { idle_timeout_seconds: 60 } });
  const caller = new RealtimeCaller(`${server.url}/v1/realtime`, key);
  await caller.next("session.created");
  for (let pings = 0; pings < 5; pings += 1) {
    const pinged = new Promise((resolve) => caller.socket.once("ping", resolve));
    clock.advance(20_000);
    await pinged;
    // The answer reaches the server soon after.
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(caller.socket.readyState).toBe(caller.socket.OPEN);
});

describe("client secrets", () => {
  const mint = (url: string, key: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${url.replace("ws", "http")}/v1/realtime/client_secrets`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });

  test("opens the configuration it was made for, with its session", async () => {
    const { server, key } = await startWireServer();
    const session = { type: "realtime", model: "bank", instructions: "Be brief.", output_modalities: ["text"] };
    const response = await mint(server.url, key, { session, expires_after: { anchor: "created_at", seconds: 60 } });
    const { value, expires_at } = (await response.json()) as { value: string; expires_at: number };
    expect(response.status).toBe(200);
    expect(value).toMatch(/^ek_/u);
    expect(expires_at - Date.now() / 1000).toBeLessThanOrEqual(60);

    const caller = new RealtimeCaller(`${server.url}/v1/realtime?model=gpt-realtime`, undefined, browser(value));
    const created = await caller.next("session.created");
    expect(created.session).toMatchObject({ model: "bank", instructions: "Be brief.", output_modalities: ["text"] });

    const elsewhere = new RealtimeCaller(`${server.url}/v1/realtime?model=default`, value);
    expect((await elsewhere.closed).code).toBe(4403);
    expect((await mint(server.url, value, {})).status).toBe(401);
  });

  test("the answer holds the session that is then in force", async () => {
    const { server, key } = await startWireServer();
    const turn_detection = { type: "server_vad", silence_duration_ms: 800, threshold: 0.7 };
    const response = await mint(server.url, key, { session: { audio: { input: { turn_detection } } } });
    const { value, session } = (await response.json()) as { value: string; session: { audio: { input: object } } };
    const caller = new RealtimeCaller(`${server.url}/v1/realtime`, value);
    const created = await caller.next("session.created");
    expect(session.audio.input).toMatchObject({ turn_detection });
    expect(created.session["audio"]).toEqual(session.audio);
  });

  test("ends with its key", async () => {
    const { server, key, keyFile, keyId } = await startWireServer();
    const { value } = (await (await mint(server.url, key, {})).json()) as { value: string };
    revokeApiKey(keyFile, keyId, Date.now());
    const caller = new RealtimeCaller(`${server.url}/v1/realtime`, value);
    expect((await caller.closed).code).toBe(4401);
  });

  test.each([
    ["no JSON", "{", 400],
    ["a wrong lifetime", { expires_after: { seconds: 1 } }, 400],
    ["long fields without effect", { session: { tracing: Array.from({ length: 3_000 }, () => ({})) } }, 400],
    ["a long tool of another type", { session: { tools: [{ type: "mcp", x: "x".repeat(5_000) }] } }, 400],
    ["too many parts", JSON.stringify({ session: { prompt: Array.from({ length: 20_000 }, () => ({})) } }), 400],
    ["a wrong session", { session: { output_modalities: "audio" } }, 400],
    ["an unknown configuration", { session: { model: "nowhere" } }, 404],
    ["a deep body", `{"session":{"prompt":${"[".repeat(30_000)}${"]".repeat(30_000)}}}`, 400],
    ["an array", [], 400],
    ["a long body", `{"x":"${"x".repeat(70_000)}"}`, 413],
  ])("%s is refused", async (_, body, status) => {
    const { server, key } = await startWireServer();
    expect((await mint(server.url, key, body)).status).toBe(status);
  });

  test("needs a key", async () => {
    const { server } = await startWireServer();
    const response = await mint(server.url, "oak_wrong", {});
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ error: { code: "invalid_api_key" } });
  });
});
