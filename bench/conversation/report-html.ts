import type { Report } from "./report.ts";
import { htmlPage, htmlTable } from "../html-page.ts";
import { escape } from "../plot.ts";
import { distribution, memoryPlot } from "./plots.ts";
import { tableRows } from "./report-table.ts";

/** A self-contained HTML file. */
export function htmlReport(report: Report): string {
  const { scenario, started, machine, stages, failed } = report;
  const verdict =
    failed === undefined
      ? ""
      : failed.length === 0
        ? "<p><b>Accepted:</b> every limit is kept.</p>"
        : `<p><b>Not accepted:</b></p><ul>${failed.map((line) => `<li>${escape(line)}</li>`).join("")}</ul>`;
  return htmlPage(
    `Oakvoice bench: ${scenario}`,
    `<h1>${escape(scenario)}</h1>
<p>${escape(started)}, ${escape(machine)}</p>
${verdict}
${htmlTable(tableRows(stages.map(({ summary }) => summary)))}
${distribution("Voice to voice: share of turns answered within", stages, (turn) => turn.voiceToVoiceMs)}
${distribution("Speech end to final transcript", stages, (turn) => turn.finalTranscriptMs)}
${distribution("Interruption to tts_interruption", stages, (turn) => turn.bargeInMs)}
${stages.map(memoryPlot).join("\n")}
<p>Times begin at the last (an interruption's at its first) voiced sample of the audio sent and end when the client had the
message, or when the first audible sample of the reply played.</p>`,
  );
}
