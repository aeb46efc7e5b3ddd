import { anyOf, pattern } from "./spoken-patterns.ts";

/** Abbreviations and signs that name a number: "Art. 5" -> "article 5", "§ 12" -> "section 12". Elsewhere they stay. */
export function references(words: Readonly<Record<string, string>>): (text: string) => string {
  const named = pattern(`(?<![\\p{L}\\d])(${anyOf(words)}) ?(?=\\d|(?:[IVXL]{2,}|[VX])(?![\\p{L}.]))`);
  return (text) => text.replace(named, (_, short: string) => `${words[short] ?? short} `);
}
