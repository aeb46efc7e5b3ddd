import { z } from "zod";
import type { ToolDefinition } from "../../src/engines/llm/language-model.ts";

const typeSchema = z.union([z.enum(["string", "integer", "boolean"]), z.array(z.string())]);

/** Tools by name: a description, and types of the parameters. `?` marks a parameter that may be left out. */
export const toolsSchema = z.record(z.string(), z.tuple([z.string(), z.record(z.string(), typeSchema)]));

export function definitions(tools: z.infer<typeof toolsSchema>): ToolDefinition[] {
  return Object.entries(tools).map(([name, [description, types]]) => {
    const parameters = Object.entries(types);
    const schemas = parameters.map(([parameter, type]) => [
      parameter.replace("?", ""),
      Array.isArray(type) ? { type: "string", enum: type } : { type },
    ]);
    const required = parameters.map(([parameter]) => parameter).filter((parameter) => !parameter.endsWith("?"));
    return { name, description, parameters: { type: "object", properties: Object.fromEntries(schemas), required } };
  });
}
