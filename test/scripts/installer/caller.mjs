// A caller who holds one call, and others who call and hang up without a pause until the file RESULT.stop is there. Writes to RESULT
// what became of them. Arguments: folder of the built program, base address, key, RESULT.
import { existsSync, writeFileSync } from "node:fs";

const [built, base, key, result] = process.argv.slice(2);
const { VoiceClient } = await import(`${built}/src/client/voice-client.js`);
const { onNode } = await import(`${built}/src/client/node.js`);
const address = (id) => `${base}/ws/voice/${id}?api_key=${key}&config_id=default`;
const call = async () => {
  const client = new VoiceClient({ address, ...onNode(), reconnect: false, keepAliveMs: 1_000 });
  await client.connect();
  return client;
};

const held = await call();
let lost = "";
held.on("closed", (error) => (lost ||= String(error?.message)));
const failures = [];
let calls = 0;
writeFileSync(`${result}.started`, "");
do {
  try {
    (await call()).close();
    calls += 1;
  } catch (error) {
    failures.push(String(error.message));
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
} while (!existsSync(`${result}.stop`));
const wasLost = lost;
held.close();
writeFileSync(result, JSON.stringify({ calls, failures: [...new Set(failures)], lost: wasLost }));
