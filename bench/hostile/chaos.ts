/** Runs faults one after the other, each on a new server during a call. */
import { FAULTS, runFault } from "./faults.ts";

const [only = ""] = process.argv.slice(2);
let failures = 0;
for (const fault of FAULTS.filter(({ name }) => name.includes(only))) {
  const startMs = performance.now();
  const result = await runFault(fault).then(
    (seen) => `ok      ${fault.name}: ${seen}`,
    (error: unknown) => {
      failures += 1;
      return `FAILED  ${fault.name}: ${String(error)}`;
    },
  );
  console.log(`${result} (${((performance.now() - startMs) / 1000).toFixed(0)} s)`);
}
process.exit(failures === 0 ? 0 : 1);
