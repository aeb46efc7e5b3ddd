/** A line of a table. */
export interface Row {
  readonly name: string;
  readonly cells: readonly string[];
}

/** Aligned columns, the names to the left. */
export function alignRows(rows: readonly Row[]): string {
  const nameWidth = Math.max(...rows.map(({ name }) => name.length));
  const columns = Math.max(...rows.map(({ cells }) => cells.length));
  const widths = Array.from({ length: columns }, (_, at) =>
    Math.max(...rows.map(({ cells }) => cells[at]?.length ?? 0)),
  );
  return rows
    .map(({ name, cells }) =>
      [name.padEnd(nameWidth), ...cells.map((cell, at) => cell.padStart(widths[at] ?? 0))].join("   "),
    )
    .join("\n");
}
