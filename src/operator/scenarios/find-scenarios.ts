import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { OakError } from "../../shared/errors.ts";
import { usageError } from "../../shared/options.ts";
import { readScenarioFile, type ScenarioFile } from "./scenario-file.ts";

const YAML = new Set([".yaml", ".yml", ".json"]);

/** The configuration file in a folder of `oakvoice init`, if there is one. */
export function configurationIn(args: readonly string[]): string | undefined {
  const folder = args.find((arg) => !arg.startsWith("-"));
  const file = join(folder ?? "", "oakvoice.yaml");
  return folder !== undefined && existsSync(file) ? file : undefined;
}

/** @throws OakError `USAGE`, and `SCENARIO_INVALID` with the faults of all files. */
export function scenariosIn(folder: string): readonly ScenarioFile[] {
  const faults: string[] = [];
  const read = filesIn(folder).flatMap((file) => {
    try {
      return [readScenarioFile(file, basename(file, extname(file)))];
    } catch (error) {
      if (!(error instanceof OakError) || error.code !== "SCENARIO_INVALID") throw error;
      faults.push(error.message);
      return [];
    }
  });
  if (faults.length > 0) throw new OakError(faults.join("\n"), { code: "SCENARIO_INVALID" });
  return read;
}

/** A file, or those of `tests/` in a folder, or those of the folder. */
function filesIn(folder: string): readonly string[] {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined) throw usageError("test", `There is no folder ${folder}`);
  if (found.isFile()) return [folder];
  const tests = existsSync(join(folder, "tests")) ? join(folder, "tests") : folder;
  return readdirSync(tests)
    .filter((name) => YAML.has(extname(name)) && name !== "oakvoice.yaml")
    .toSorted()
    .map((name) => join(tests, name));
}
