import { loadServerConfig } from "../src/config/server-config.ts";
import { rehearseServer } from "../src/server/voice-server.ts";
import { errorMessage } from "../src/shared/errors.ts";
import { readVoices } from "../src/operator/read-voices.ts";

// For the installer: one line if a server could not start with the configuration of OAKVOICE_CONFIG. Loads no models.
try {
  const { config } = loadServerConfig(undefined, process.env);
  await readVoices(config);
  await rehearseServer(config);
} catch (error) {
  process.stderr.write(`oakvoice: ${errorMessage(error)}\n`);
  process.exitCode = 1;
}
