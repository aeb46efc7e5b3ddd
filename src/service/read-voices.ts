import type { ServerConfig } from "../config/server-config.ts";
import type { VoiceConfiguration } from "../config/voice-configuration.ts";
import { openVoiceStore } from "../config/voice-store.ts";
import { silentLog } from "../shared/log.ts";
import { Toolbox } from "../tools/toolbox.ts";

/**
 * The voice configurations, with their tools checked as the start of the server checks them. Connects to nothing.
 * @throws OakError `CONFIG_INVALID`, `CONFIG_UNREADABLE`.
 */
export async function readVoices({
  voicesDir,
  egress,
}: Pick<ServerConfig, "voicesDir" | "egress">): Promise<readonly VoiceConfiguration[]> {
  const toolbox = new Toolbox(egress.allowed_hosts, silentLog);
  const user = { load: toolbox.load.bind(toolbox), use: () => undefined };
  return (await openVoiceStore(voicesDir, silentLog, user)).list();
}
