import { isSchema } from "../../engines/llm/tool-call-format/tool-arguments.ts";

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
