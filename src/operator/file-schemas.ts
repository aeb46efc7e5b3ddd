import { z } from "zod";
import { serverConfigSchema } from "../config/server-config-schema.ts";
import { voiceConfigurationSchema } from "../config/voice-configuration.ts";
import { scenarioSchema } from "./scenarios/scenario-file.ts";

/** JSON Schemas of the operator's files, for editors. `docs/schemas/` holds them, and the server serves them under `/schemas/`. */
export function fileSchemas(): Readonly<Record<"server" | "voice" | "scenario", object>> {
  const schemaOf = (schema: z.ZodType) => z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return {
    server: schemaOf(serverConfigSchema),
    voice: schemaOf(voiceConfigurationSchema),
    scenario: schemaOf(scenarioSchema),
  };
}
