import { expect, test } from "vitest";
import { createApiKey } from "../../../src/auth/api-keys.ts";
import { embeddedDefault } from "../../../src/config/voice-configuration.ts";
import { startWireServer } from "../support.ts";

/** A server with an open call, and a key that may make the assistant speak. */
async function openCall() {
  const wire = await startWireServer();
  const { key: sayKey } = createApiKey(wire.keyFile, "alarm", undefined, Date.now(), {}, ["say"]);
  const client = wire.connect({ api_key: wire.key, config_id: "default" }, "call-1");
  client.sendMessage("session_settings", {});
  await client.next("status");
  const base = wire.server.url.replace("ws", "http");
  const say = async (body: unknown, { key = sayKey, id = "call-1" } = {}) => {
    const response = await fetch(`${base}/v1/calls/${id}/say`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as { error?: { code: string } } };
  };
  return { ...wire, client, sayKey, say, commands: () => wire.sessions[0]?.commands ?? [] };
}

test("a program with the permission makes the assistant speak in an open call", async () => {
  const { say, commands } = await openCall();
  expect(await say({ text: "Your taxi is here." })).toMatchObject({ status: 202 });
  expect(await say({ text: "Please leave the building.", when: "now" })).toMatchObject({ status: 202 });
  expect(commands()).toEqual(["say next: Your taxi is here.", "say now: Please leave the building."]);
});

test.each([
  ["no permission", { text: "Hi." }, "plain key", 403, "NOT_PERMITTED"],
  ["an unknown key", { text: "Hi." }, "oak_0000000000000000000000000000000000000000000", 401, "INVALID_API_KEY"],
  ["an empty text", { text: "  " }, undefined, 400, "INVALID_MESSAGE"],
  ["a long text", { text: "a".repeat(1_001) }, undefined, 400, "INVALID_MESSAGE"],
  ["an unknown field", { text: "Hi.", voice: "x" }, undefined, 400, "INVALID_MESSAGE"],
  ["a body that is not JSON", "hello", undefined, 400, "INVALID_MESSAGE"],
])("%s is refused", async (_, body, key, status, code) => {
  const { say, commands, key: plain, sayKey } = await openCall();
  const answer = await say(body, { key: key === "plain key" ? plain : (key ?? sayKey) });
  expect([answer.status, answer.body.error?.code]).toEqual([status, code]);
  expect(commands()).toEqual([]);
});

test("an unknown call and a call of another project get the same answer", async () => {
  const { say, keyFile } = await openCall();
  const { key } = createApiKey(keyFile, "branch", "branch", Date.now(), {}, ["say"]);
  const unknown = await say({ text: "Hi." }, { id: "call-2" });
  expect(unknown).toMatchObject({ status: 404, body: { error: { code: "CALL_NOT_FOUND" } } });
  expect(await say({ text: "Hi." }, { key })).toEqual(unknown);
});

test("a token with the scope may speak, and a client's message needs the permission too", async () => {
  const { say, token, connect, sayKey, sessions } = await openCall();
  expect(await say({ text: "Hi." }, { key: await token({ permissions: ["say"] }) })).toMatchObject({ status: 202 });
  expect(await say({ text: "Hi." }, { key: await token() })).toMatchObject({ status: 403 });
  const permitted = connect({ api_key: sayKey, config_id: "default" });
  permitted.sendMessage("session_settings", {});
  await permitted.next("status");
  permitted.sendMessage("say", { text: "Dinner is ready." });
  permitted.sendMessage("keep_alive");
  await permitted.next("status");
  expect(sessions[1]?.commands).toEqual(["say next: Dinner is ready."]);
});

test("a client without the permission gets an error, and its call goes on", async () => {
  const { client, commands } = await openCall();
  client.sendMessage("say", { text: "Dinner is ready." });
  expect((await client.next("error")).data.error_code).toBe("NOT_PERMITTED");
  client.sendMessage("tool_result", { call_id: "1", output: "soup" });
  client.sendMessage("keep_alive");
  await client.next("status");
  expect(commands()).toEqual(["result of 1: soup"]);
});

test("a telephone system reads where the caller wants to go, for a minute", async () => {
  const { server, clock, key, keyFile, endings } = await startWireServer();
  const voice = { ...embeddedDefault, project_id: "hotel" };
  endings.add("17.4", voice, { transferTo: "reception", reason: "wants a person", summary: "lost key" });
  const get = async (query = "", as = key) => {
    const url = `${server.url.replace("ws", "http")}/v1/calls/17.4/ending${query}`;
    const response = await fetch(url, { headers: { authorization: `Bearer ${as}` } });
    return [response.status, await response.text()] as const;
  };
  expect(await get("?field=transfer_to")).toEqual([200, "reception"]);
  expect(JSON.parse((await get())[1])).toEqual({
    transfer_to: "reception",
    reason: "wants a person",
    summary: "lost key",
  });
  expect((await get("?field=voice"))[0]).toBe(400);
  const other = createApiKey(keyFile, "branch", "branch", Date.now());
  expect((await get("", other.key))[0]).toBe(404);
  clock.advance(60_000);
  expect((await get())[0]).toBe(404);
});

test("a client secret does not inherit the permission", async () => {
  const { server, sayKey, say } = await openCall();
  const response = await fetch(`${server.url.replace("ws", "http")}/v1/realtime/client_secrets`, {
    method: "POST",
    headers: { authorization: `Bearer ${sayKey}` },
  });
  const { value } = (await response.json()) as { value: string };
  expect(await say({ text: "Hi." }, { key: value })).toMatchObject({ status: 403 });
});
