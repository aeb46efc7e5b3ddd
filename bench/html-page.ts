import type { Row } from "./text-table.ts";
import { escape } from "./plot.ts";

const COLOURS = [
  "light-dark(#1f6f4a, #5cc491)",
  "light-dark(#b4541f, #ee9a63)",
  "light-dark(#31538f, #8fb0ee)",
  "light-dark(#8a2f6b, #e08cc4)",
  "light-dark(#6b6b1f, #c8c866)",
];

/** A self-contained HTML page. `content`: HTML. */
export function htmlPage(title: string, content: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escape(title)}</title>
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
${content}
</body></html>
`;
}

export function htmlTable(rows: readonly Row[]): string {
  const lines = rows.map(
    ({ name, cells }) => `<tr><th>${escape(name)}</th>${cells.map((cell) => `<td>${escape(cell)}</td>`).join("")}</tr>`,
  );
  return `<table>${lines.join("\n")}</table>`;
}
