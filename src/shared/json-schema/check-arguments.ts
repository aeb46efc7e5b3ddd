import { OakError } from "../errors.ts";
import { withinBudget } from "../within-budget.ts";
import { faultsOf } from "./check-value.ts";

export type Arguments = Readonly<Record<string, unknown>>;

const MAX_FAULTS = 5;
/** Time of the event loop for each of two attempts, because another process may have taken the first one's. */
const MAX_CHECK_MS = 20;

/**
 * Checks the arguments of a call. Parts of the schema that the server cannot check allow every value.
 * @throws OakError `TOOL_REFUSED` that tells the language model what is wrong.
 */
export function checkArguments(schema: unknown, args: Arguments): void {
  const check = () => faultsOf(schema, args);
  const faults = (withinBudget(MAX_CHECK_MS, check) ?? withinBudget(MAX_CHECK_MS, check))?.result;
  if (faults === undefined) throw refused("the arguments take too long to check; use simpler ones");
  if (faults.length === 0) return;
  const lines = faults
    .slice(0, MAX_FAULTS)
    .map(({ path, message }) => [path, message].filter((part) => part !== "").join(": "));
  throw refused(`the arguments are wrong: ${lines.join("; ")}`);
}

const refused = (why: string) => new OakError(`${why}. Nothing was done.`, { code: "TOOL_REFUSED" });
