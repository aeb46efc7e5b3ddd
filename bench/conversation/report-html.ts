import type { Report } from "./report.ts";
import { distribution, escape, memoryPlot } from "./plots.ts";
import { tableRows } from "./report-table.ts";

const COLOURS = [
  "light-dark(#1f6f4a, #5cc491)",
  "light-dark(#b4541f, #ee9a63)",
  "light-dark(#31538f, #8fb0ee)",
  "light-dark(#8a2f6b, #e08cc4)",
  "light-dark(#6b6b1f, #c8c866)",
];

/** A self-contained HTML file. */
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
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Oakvoice bench: ${escape(scenario)}</title>
<style>
:root { color-scheme: light dark }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
  color: light-dark(#222, #ddd); background: light-dark(#fff, #16181a) }
table { border-collapse: collapse; width: 100% } th { text-align: left; font-weight: normal } td { text-align: right }
th, td { border-bottom: 1px solid light-dark(#ddd, #333); padding: .25rem .5rem; font-variant-numeric: tabular-nums }
figure { margin: 2rem 0 } text { font: 12px system-ui, sans-serif; fill: light-dark(#444, #bbb) }
.grid { stroke: light-dark(#ccc, #3a3a3a) } polyline { fill: none; stroke-width: 2; stroke-linejoin: round }
${COLOURS.map((colour, at) => `polyline.line${String(at)} { stroke: ${colour} } text.line${String(at)} { fill: ${colour} }`).join("\n")}
</style></head><body>
<h1>${escape(scenario)}</h1>
<p>${escape(started)}, ${escape(machine)}</p>
${verdict}
<table>${rows}</table>
${distribution("Voice to voice: share of turns answered within", stages, (turn) => turn.voiceToVoiceMs)}
${distribution("Speech end to final transcript", stages, (turn) => turn.finalTranscriptMs)}
${distribution("Interruption to tts_interruption", stages, (turn) => turn.bargeInMs)}
${stages.map(memoryPlot).join("\n")}
<p>Times begin at the last (an interruption's at its first) voiced sample of the audio sent and end when the client had the
message, or when the first audible sample of the reply played.</p>
</body></html>
`;
}
