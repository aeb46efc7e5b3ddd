import { loadServerConfig } from "../src/config/server-config.ts";
import { graphicsCardFor, memoryFor } from "../src/resources/resources.ts";
import { errorMessage } from "../src/shared/errors.ts";

// For the installer: fails if a server with the configuration of OAKVOICE_CONFIG has no room in the memory that is free now.
try {
  const { models, limits } = loadServerConfig(undefined, process.env).config;
  const plans = memoryFor(models, limits.max_connections, await graphicsCardFor(models));
  for (const { verdict, text } of plans) if (verdict === "too much") throw new Error(`Not enough ${text}.`);
  process.exit(0);
} catch (error) {
  process.stderr.write(`oakvoice: ${errorMessage(error)}\n`);
  process.exit(1);
}
