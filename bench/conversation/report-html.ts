import type { Report } from "./bench.ts";
import { tableRows } from "./report-table.ts";
import type { Stage } from "./summary.ts";

const WIDTH = 720;
const HEIGHT = 260;
const MARGIN = 44;
/** Shorter stages say nothing of memory. */
const MEMORY_FROM_SECONDS = 120;
const COLOURS = ["#1f6f4a", "#b4541f", "#31538f", "#8a2f6b", "#6b6b1f"];

/** One file that needs nothing else: opens from a disk, goes as an attachment. */
export function htmlReport(report: Report): string {
  const { scenario, started, machine, stages, failed } = report;
  const rows = tableRows(stages.map(({ summary }) => summary))
    .map(
      ({ name, cells }) =>
        `<tr><th>${escape(name)}</th>${cells.map((cell) => `<td>${escape(cell)}</td>`).join("")}</tr>`,
    )
    .join("\n");
  const verdict =
    failed === undefined
      ? ""
      : failed.length === 0
        ? "<p><b>Accepted:</b> every limit is kept.</p>"
        : `<p><b>Not accepted:</b></p><ul>${failed.map((line) => `<li>${escape(line)}</li>`).join("")}</ul>`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Oakvoice bench: ${escape(scenario)}</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222; background: #fff }
table { border-collapse: collapse; width: 100% } th { text-align: left; font-weight: normal } td { text-align: right }
th, td { border-bottom: 1px solid #ddd; padding: .25rem .5rem; font-variant-numeric: tabular-nums }
figure { margin: 2rem 0 } text { font: 12px system-ui, sans-serif; fill: #444 } .axis { stroke: #bbb }
</style></head><body>
<h1>${escape(scenario)}</h1>
<p>${escape(started)}, ${escape(machine)}</p>
${verdict}
<table>${rows}</table>
${curves("Voice to voice: share of turns answered within", stages, (turn) => turn.voiceToVoiceMs)}
${curves("Speech end to final transcript", stages, (turn) => turn.finalTranscriptMs)}
${curves("Interruption to tts_interruption", stages, (turn) => turn.bargeInMs)}
${stages.map(memoryCurve).join("\n")}
<p>Times begin at the last (an interruption's at its first) voiced sample of the audio sent and end when the client had the
message, or when the first audible sample of the reply played.</p>
</body></html>
`;
}

/** The cumulative distribution, a line a number of callers. */
function curves(
  title: string,
  stages: readonly Stage[],
  pick: (turn: Stage["turns"][number]) => number | undefined,
): string {
  const lines = stages.map(({ summary, turns }) => ({
    callers: summary.callers,
    values: turns
      .map(pick)
      .filter((value) => value !== undefined)
      .toSorted((a, b) => a - b),
  }));
  // Four steps of whole tenths of a second.
  const largest = 400 * Math.ceil(Math.max(0, ...lines.flatMap(({ values }) => values)) / 400);
  if (largest === 0) return "";
  const x = (value: number) => MARGIN + ((WIDTH - 2 * MARGIN) * value) / largest;
  const y = (share: number) => HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * share;
  const ticks = [0, 0.25, 0.5, 0.75, 1];
  const axes = ticks
    .map(
      (share) =>
        `<line class="axis" x1="${String(MARGIN)}" x2="${String(WIDTH - MARGIN)}" y1="${y(share).toFixed(1)}" y2="${y(share).toFixed(1)}"/>` +
        `<text x="4" y="${(y(share) + 4).toFixed(1)}">${String(share * 100)} %</text>` +
        `<text x="${x(share * largest).toFixed(1)}" y="${String(HEIGHT - MARGIN + 18)}" text-anchor="middle">${(share * largest).toFixed(0)} ms</text>`,
    )
    .join("");
  const paths = lines
    .map(({ callers, values }, at) => {
      const colour = COLOURS[at % COLOURS.length] ?? "#000";
      const points = values.map(
        (value, index) => `${x(value).toFixed(1)},${y((index + 1) / values.length).toFixed(1)}`,
      );
      const legend = `<text x="${String(WIDTH - MARGIN)}" y="${String(18 + 16 * at)}" text-anchor="end" style="fill:${colour}">${String(callers)} callers</text>`;
      return `<polyline fill="none" stroke="${colour}" stroke-width="2" points="${x(values[0] ?? 0).toFixed(1)},${y(0).toFixed(1)} ${points.join(" ")}"/>${legend}`;
    })
    .join("");
  return `<figure><figcaption>${escape(title)}</figcaption><svg viewBox="0 0 ${String(WIDTH)} ${String(HEIGHT)}" role="img" aria-label="${escape(title)}">${axes}${paths}</svg></figure>`;
}

/** Resident memory over a long stage, a line a process. */
function memoryCurve({ summary, memory }: Stage): string {
  const last = memory.at(-1);
  if (last === undefined || last.seconds < MEMORY_FROM_SECONDS) return "";
  const title = `Resident memory with ${String(summary.callers)} callers, MB over minutes`;
  const names = Object.keys(last.residentByProcess);
  const megabytes = (name: string) => memory.map(({ residentByProcess }) => (residentByProcess[name] ?? 0) / 1e6);
  const largest = Math.max(...names.flatMap(megabytes));
  const x = (seconds: number) => MARGIN + ((WIDTH - 2 * MARGIN) * seconds) / last.seconds;
  const y = (value: number) => HEIGHT - MARGIN - ((HEIGHT - 2 * MARGIN) * value) / largest;
  const axes = [0, 0.25, 0.5, 0.75, 1]
    .map(
      (share) =>
        `<line class="axis" x1="${String(MARGIN)}" x2="${String(WIDTH - MARGIN)}" y1="${y(share * largest).toFixed(1)}" y2="${y(share * largest).toFixed(1)}"/>` +
        `<text x="4" y="${(y(share * largest) + 4).toFixed(1)}">${(share * largest).toFixed(0)}</text>` +
        `<text x="${x(share * last.seconds).toFixed(1)}" y="${String(HEIGHT - MARGIN + 18)}" text-anchor="middle">${((share * last.seconds) / 60).toFixed(0)} min</text>`,
    )
    .join("");
  const lines = names
    .map((name, at) => {
      const colour = COLOURS[at % COLOURS.length] ?? "#000";
      const points = megabytes(name).map(
        (value, index) => `${x(memory[index]?.seconds ?? 0).toFixed(1)},${y(value).toFixed(1)}`,
      );
      return (
        `<polyline fill="none" stroke="${colour}" stroke-width="2" points="${points.join(" ")}"/>` +
        `<text x="${String(MARGIN + 150 * at)}" y="18" style="fill:${colour}">${escape(name.replace(/(?:-worker)?\.[jt]s$/u, ""))}</text>`
      );
    })
    .join("");
  return `<figure><figcaption>${escape(title)}</figcaption><svg viewBox="0 0 ${String(WIDTH)} ${String(HEIGHT)}" role="img" aria-label="${escape(title)}">${axes}${lines}</svg></figure>`;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
