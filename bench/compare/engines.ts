import type { ServerConfig } from "../../src/config/server-config.ts";
import { engineStarters } from "../../src/service/engine-starters.ts";
import { silentLog } from "../../src/shared/log.ts";

/** The engines and models of the server's configuration, without the server. */
export async function startAlone(config: ServerConfig) {
  const start = engineStarters(config, 1, silentLog);
  const engines = {
    vad: await start.vad(),
    endOfTurn: await start.endOfTurn(),
    emotion: await start.emotion(),
    stt: await start.stt(),
    llm: await start.llm(),
    tts: await start.tts(),
  };
  return {
    ...engines,
    close: async () => {
      await Promise.all(Object.values(engines).map(async (engine) => engine.close()));
    },
  };
}

export type EnginesAlone = Awaited<ReturnType<typeof startAlone>>;
