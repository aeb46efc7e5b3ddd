import { z } from "zod";
import type { Tool } from "../../conversation/tool-calls/tool.ts";
import { OakError } from "../../shared/errors.ts";

export interface BuiltInTool<Schema extends z.ZodObject> {
  readonly name: string;
  readonly description: string;
  readonly parameters: Schema;
  /** It changes nothing. */
  readonly mayRepeat?: boolean;
  /** Returns data for the language model. */
  run(args: z.output<Schema>): unknown;
}

/** A tool of the server's own, which answers at once. */
export function builtInTool<Schema extends z.ZodObject>(tool: BuiltInTool<Schema>): Tool {
  const { name, description, parameters, mayRepeat = false } = tool;
  const { $schema: _, ...schema } = z.toJSONSchema(parameters, { io: "input" });
  return {
    definition: { name, description, parameters: schema },
    cancelOnInterrupt: false,
    mayRepeat,
    confirm: mayRepeat ? false : undefined,
    async run(args) {
      const parsed = parameters.safeParse(args);
      if (parsed.success) return Promise.resolve(JSON.stringify(tool.run(parsed.data)));
      const wrong = parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; ");
      throw new OakError(`the arguments are wrong: ${wrong}.`, { code: "TOOL_REFUSED" });
    },
  };
}
