import type { ToolDefinition } from "../../engines/llm/language-model.ts";
import type { FactWords } from "../../language/facts.ts";
import { argumentsOf, isSchema, type Argument } from "../../engines/llm/tool-call-format/tool-arguments.ts";
import { rethrowFault } from "../../shared/errors.ts";

/** How a parameter is called aloud: by the title of its schema, or by its name. */
export function labelOf(name: string, schema: unknown): string {
  const title = isSchema(schema) ? schema["title"] : undefined;
  return typeof title === "string" && title.trim() !== "" ? title.trim() : inWords(name);
}

/** "book_table" and "bookTable" are "book table". */
export const inWords = (name: string): string =>
  name
    .replaceAll(/(\p{Ll})(?=\p{Lu})/gu, "$1 ")
    .replaceAll(/[_.-]+/gu, " ")
    .toLowerCase();

/** The tool's arguments. None of a tool with parameters that no call can have: the engine refuses its calls by itself. */
export function argumentsOfTool({ name, parameters }: ToolDefinition): readonly Argument[] {
  try {
    return argumentsOf(name, parameters);
  } catch (error) {
    rethrowFault(error);
    return [];
  }
}

/** The values of a call as they are said: "people 2, day friday". */
export function spokenValues(
  args: Readonly<Record<string, unknown>>,
  { parameters }: Pick<ToolDefinition, "parameters">,
  { yes, no }: Pick<FactWords, "yes" | "no">,
): string {
  const schemas = isSchema(parameters) && isSchema(parameters["properties"]) ? parameters["properties"] : {};
  const said = (value: unknown): string => {
    if (typeof value === "boolean") return value ? yes : no;
    if (typeof value === "object" && value !== null)
      return Object.values(value)
        .map((each) => said(each))
        .join(" ");
    return String(value);
  };
  const values = Object.entries(args).map(([key, value]) => `${labelOf(key, schemas[key])} ${said(value)}`);
  return values.join(", ").replaceAll(/\s+/gu, " ");
}
