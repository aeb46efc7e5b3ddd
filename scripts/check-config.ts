import { loadServerConfig } from "../src/config/server-config.ts";
import { rehearseServer } from "../src/server/voice-server.ts";
import { errorMessage } from "../src/shared/errors.ts";

// For the installer: one line if a server could not start with the configuration of OAKVOICE_CONFIG. Loads no models.
try {
  await rehearseServer(loadServerConfig(undefined, process.env).config);
} catch (error) {
  process.stderr.write(`oakvoice: ${errorMessage(error)}\n`);
  process.exitCode = 1;
}
