import { escapeMarkup as text } from "./escape-markup.ts";
import type { ScenarioResult } from "./run-scenarios.ts";
import type { CallView, ToolUse } from "./call-view.ts";

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1c1c1c;background:#fff}
h1{font-size:1.5rem}details{border:1px solid #c8c8c8;border-radius:.4rem;margin:.5rem 0;padding:.5rem .8rem}
summary{font-weight:600}.failed summary{color:#a30000}.passed summary{color:#0a5c26}.failures{color:#a30000}
td,th{text-align:left;vertical-align:top;padding:.2rem .8rem .2rem 0}table{border-collapse:collapse}audio{width:100%}`;

/** A page for people. `audioOf`: name of the recording beside the page. */
export function reportPage(
  results: readonly ScenarioResult[],
  audioOf: (result: ScenarioResult) => string | undefined,
): string {
  const failed = results.filter(({ failures }) => failures.length > 0).length;
  const title = `${String(results.length - failed)} of ${String(results.length)} calls passed`;
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title><style>${STYLE}</style>
<h1>${title}</h1>
${results.map((result) => section(result, audioOf(result))).join("\n")}
</html>
`;
}

function section({ name, run, seconds, failures, call }: ScenarioResult, audio: string | undefined): string {
  const isFailed = failures.length > 0;
  const title = run === 1 ? name : `${name} (run ${String(run)})`;
  return `<details class="${isFailed ? "failed" : "passed"}"${isFailed ? " open" : ""}>
<summary>${isFailed ? "Failed" : "Passed"}: ${text(title)} (${seconds.toFixed(0)} s)</summary>
${isFailed ? `<ul class="failures">${failures.map((failure) => `<li>${text(failure)}</li>`).join("")}</ul>` : ""}
${audio === undefined ? "" : `<p>The caller is on the left, the assistant on the right.<br><audio controls src="${text(audio)}"></audio></p>`}
${call === undefined ? "" : conversation(call)}
</details>`;
}

function conversation({ greeting, turns }: CallView): string {
  const rows = turns.map(({ said, heard, replied, tools, answeredMs }) => {
    const heardAs = heard === said ? "" : `<br>heard: ${text(heard)}`;
    const after = answeredMs === undefined ? "" : `${(answeredMs / 1000).toFixed(2)} s`;
    return `<tr><td>${text(said)}${heardAs}</td><td>${[...tools.map(describeTool), text(replied)].join("<br>")}</td><td>${after}</td></tr>`;
  });
  const opening = greeting === "" ? "" : `<tr><td></td><td>${text(greeting)}</td><td></td></tr>`;
  return `<table><tr><th scope="col">Caller</th><th scope="col">Assistant</th><th scope="col">Answered after</th></tr>
${opening}${rows.join("\n")}</table>`;
}

const describeTool = ({ name, arguments: args, outcome, output = "" }: ToolUse) =>
  `<code>${text(`${name}(${JSON.stringify(args ?? {})})`)}</code> ${text(outcome)}${output === "" ? "" : `: ${text(output.slice(0, 300))}`}`;
