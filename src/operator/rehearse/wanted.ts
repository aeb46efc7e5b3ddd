import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { limitsSchema, type Limits } from "../../simulated-callers/limits.ts";
import { packageRoot } from "../../shared/package-root.ts";

/** The limits for a number of callers. */
export type Wanted = (callers: number) => Limits;

const FILE = join(packageRoot, "bench", "conversation", "limits-rehearsal.yaml");
const wantedSchema = z.record(z.string().regex(/^\d+$/u), limitsSchema);

/** Each entry of the file holds for that many callers and more, up to the next entry. */
export function loadWanted(file: string = FILE): Wanted {
  const entries = Object.entries(wantedSchema.parse(parse(readFileSync(file, "utf8"))));
  const ascending = entries
    .map(([from, limits]) => ({ from: Number(from), limits }))
    .toSorted((a, b) => a.from - b.from);
  return (callers) => ascending.findLast(({ from }) => from <= callers)?.limits ?? {};
}
