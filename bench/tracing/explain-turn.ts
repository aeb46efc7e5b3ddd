import { parseArgs } from "node:util";
import { textTable } from "../../src/shared/text-table.ts";
import { ownBackend, phoenixBackend } from "./backends.ts";
import { explainTurn } from "./explained-turn.ts";

const USAGE = `npm run bench:trace -- [--phoenix URL]
One spoken turn with the starter models. Prints the spans of its trace beside the delay that the caller measured. Without
--phoenix a receiver of its own takes the spans.`;

const { values } = parseArgs({
  options: {
    phoenix: { type: "string" },
    recording: { type: "string", default: "flite-time.wav" },
    help: { type: "boolean", short: "h" },
  },
});
if (values.help === true) {
  process.stdout.write(`${USAGE}\n`);
  process.exit(0);
}
const own = values.phoenix === undefined ? await ownBackend() : undefined;
const turn = await explainTurn(own ?? phoenixBackend(new URL(values.phoenix ?? "")), values.recording);
await own?.close();
const ms = (value: number) => `${value.toFixed(1)} ms`;
const beginMs = turn.parts[0]?.startMs ?? 0;
const rows = turn.parts.map((part) => [part.name, ms(part.startMs - beginMs), ms(part.endMs - part.startMs)]);
const all = turn.spans
  .toSorted((one, other) => one.startMs - other.startMs)
  .map((span) => [span.name, ms(span.startMs - beginMs), ms(span.endMs - span.startMs)]);
process.stdout.write(`${textTable([["PART OF THE DELAY", "FROM", "TIME"], ...rows])}\n
sum of the parts     ${ms(turn.partsMs)}
measured by caller   ${ms(turn.callerMs)}
difference           ${((100 * (turn.partsMs - turn.callerMs)) / turn.callerMs).toFixed(1)} %

${textTable([["SPAN", "FROM", "TIME"], ...all])}\n`);
