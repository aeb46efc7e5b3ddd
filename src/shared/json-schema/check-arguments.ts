import { OakError } from "../errors.ts";
import { withinBudget } from "../within-budget.ts";
import { faultsOf } from "./check-value.ts";

export type Arguments = Readonly<Record<string, unknown>>;

const MAX_FAULTS = 5;
const MAX_CHECK_MS = 20;

/**
 * Checks the arguments of a call. Parts of the schema that the server cannot check allow every value.
 * @throws OakError `TOOL_REFUSED` that tells the language model what is wrong.
 */
export function checkArguments(schema: unknown, args: Arguments): void {
  const faults = withinBudget(MAX_CHECK_MS, () => faultsOf(schema, args))?.result;
  if (faults === undefined) throw refused("the arguments take too long to check; use simpler ones");
  if (faults.length === 0) return;
  const lines = faults
    .slice(0, MAX_FAULTS)
    .map(({ path, message }) => [path, message].filter((part) => part !== "").join(": "));
  throw refused(`the arguments are wrong: ${lines.join("; ")}`);
}

const refused = (why: string) => new OakError(`${why}. Nothing was done.`, { code: "TOOL_REFUSED" });
