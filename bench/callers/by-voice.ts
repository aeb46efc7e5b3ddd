import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { z } from "zod";
import { voiceAddress } from "../../src/client/address.ts";
import type { ServerConfig } from "../../src/config/server-config.ts";
import type { MakeCall } from "./outcome.ts";
import { assistantNamed, readTools, type Script } from "./script.ts";
import { withService } from "./service.ts";
import { speakCall } from "./spoken-call.ts";
import type { World } from "./world.ts";

/** The webhooks' signing key. Nothing here checks the signature. */
const SECRET = "OAKVOICE_CALLERS_SECRET";
const requestSchema = z.looseObject({
  data: z.looseObject({ config_id: z.string(), tool: z.string(), arguments: z.record(z.string(), z.unknown()) }),
});

/** The callers speak to a new server, whose tools are webhooks of this process. Each caller has a configuration of their own. */
export async function callByVoice(
  script: Script,
  config: ServerConfig,
  calling: (make: MakeCall) => Promise<void>,
): Promise<void> {
  const worlds = new Map<string, World>();
  const systems = createServer((request, response) => {
    void json(request).then((body) => {
      const { config_id, tool, arguments: args } = requestSchema.parse(body).data;
      const result = worlds.get(config_id)?.run(tool, args) ?? { error: "there is no such caller" };
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(result));
    });
  });
  systems.listen(0, "127.0.0.1");
  await once(systems, "listening");
  const host = `127.0.0.1:${String((systems.address() as AddressInfo).port)}`;
  process.env[SECRET] = "the key of the scripted callers";
  try {
    await withService(config, configurations(script, `http://${host}/`), host, async ({ port, key }) => {
      const base = `ws://127.0.0.1:${String(port)}`;
      await calling(async ({ turns }, index, world) => {
        worlds.set(idOf(index), world);
        const voice = script.voices[index % script.voices.length] ?? "";
        const address = voiceAddress({ base, apiKey: key, configId: idOf(index) });
        return speakCall({ address, turns, voice, isOver: () => world.state.ended });
      });
    });
  } finally {
    systems.closeAllConnections();
    systems.close();
  }
}

const idOf = (index: number) => `caller-${String(index)}`;

function configurations(script: Script, url: string): Record<string, object> {
  const tools = readTools();
  return Object.fromEntries(
    script.callers.map((caller, index) => {
      const { system_prompt, facts, tools: own } = assistantNamed(script, caller.on, tools);
      const entries = own.map((tool) => ({ ...tool, webhook: { url, secret_env: SECRET } }));
      return [idOf(index), { system_prompt, facts, temperature: 0, tools: entries }];
    }),
  );
}
