import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { nearestWord } from "../../shared/did-you-mean.ts";
import { asFileError } from "../../shared/files/file-error.ts";
import { parseOptions, usageError } from "../../shared/options.ts";
import { isPrintable } from "../../shared/printable.ts";
import { textTable } from "../../shared/text-table.ts";
import { BUSINESSES } from "./businesses.ts";
import { exampleFiles } from "./example-files.ts";

const MAX_NAME_LENGTH = 60;

/**
 * `oakvoice init hotel`: writes a folder with an assistant, its tools and its tests. Changes no existing file.
 * @param program How this program is called.
 * @returns What to do next.
 * @throws OakError `USAGE`, `FILE_FAILED`.
 */
export function initCommand(args: readonly string[], program: string): string {
  const { values, positionals } = parseOptions("init", args, { name: { type: "string" } });
  const [kind = "", folder = kind, ...rest] = positionals;
  const business = Object.hasOwn(BUSINESSES, kind) ? BUSINESSES[kind] : undefined;
  if (business === undefined || rest.length > 0) {
    const known = Object.keys(BUSINESSES);
    const meant = nearestWord(kind, known);
    const question = meant === undefined ? "" : `, did you mean '${meant}'?`;
    throw usageError("init", `Name one of ${known.join(", ")} and, if you like, a folder${question}`);
  }
  const title = values.name ?? business.title;
  if (title.trim() === "" || title.length > MAX_NAME_LENGTH || !isPrintable(title))
    throw usageError("init", `--name: write 1 to ${String(MAX_NAME_LENGTH)} printable characters`);
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw usageError("init", `The folder ${folder} is not empty: name another one`);
  const secret = randomBytes(24).toString("hex");
  try {
    for (const [name, text] of Object.entries(exampleFiles(business, { id: kind, title, secret }))) {
      const file = join(folder, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text, { mode: name.endsWith("secret.txt") ? 0o600 : 0o644 });
    }
  } catch (error) {
    throw asFileError(error, "FILE_FAILED", folder);
  }
  const steps = [
    [`${program} test ${folder}`, "calls it three times, and checks what it says and does"],
    [`node ${join(folder, "tools", "server.mjs")}`, "carries out its tools; leave it running"],
    [
      `${program} --config ${join(folder, "oakvoice.yaml")}`,
      `in another terminal; then open the page and choose "${kind}"`,
    ],
  ].map(([command = "", why = ""]) => [`  ${command}`, `# ${why}`]);
  return `${folder} holds an assistant for ${title}: voices/${kind}.yaml, tools/, tests/. Next:

${textTable(steps)}

Say on the page: ${business.sayings.map((saying) => `"${saying}"`).join(" ")}`;
}
