const WIDTH = 720;
const HEIGHT = 260;
const MARGIN = 56;
const STEPS = [0, 1, 2, 3, 4];

export interface Line {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

export interface Axis {
  /** End of the axis, four whole steps from 0. */
  readonly most: number;
  readonly label: (value: number) => string;
}

/** An axis up to at least `most` with four steps that are multiples of `step`. */
export function axis(most: number, step: number, label: (value: number) => string): Axis {
  return { most: 4 * step * Math.max(1, Math.ceil(most / (4 * step))), label };
}

/** An axis of shares, 0 to 100 %. */
export const SHARES: Axis = { most: 1, label: (share) => `${String(100 * share)} %` };

/** Lines in an SVG figure. The page has colours for five of them. */
export function plot(title: string, across: Axis, up: Axis, lines: readonly Line[]): string {
  const x = (value: number) => (MARGIN + ((WIDTH - 2 * MARGIN) * value) / across.most).toFixed(1);
  const y = (value: number) => (HEIGHT - MARGIN - ((HEIGHT - 2 * MARGIN) * value) / up.most).toFixed(1);
  const grid = STEPS.map((step) => {
    const [right, height] = [(across.most * step) / 4, (up.most * step) / 4];
    return (
      `<line class="grid" x1="${x(0)}" x2="${x(across.most)}" y1="${y(height)}" y2="${y(height)}"/>` +
      `<text x="${String(MARGIN - 4)}" y="${y(height)}" dy="4" text-anchor="end">${up.label(height)}</text>` +
      `<text x="${x(right)}" y="${String(HEIGHT - MARGIN + 18)}" text-anchor="middle">${across.label(right)}</text>`
    );
  });
  const drawn = lines.map(({ name, points }, at) => {
    if (points.length === 0) return "";
    const path = points.map(([right, height]) => `${x(right)},${y(height)}`).join(" ");
    const legend = `<text class="line${String(at % 5)}" x="${String(MARGIN + 130 * at)}" y="18">${escape(name)}</text>`;
    return `<polyline class="line${String(at % 5)}" points="${path}"/>${legend}`;
  });
  return `<figure><figcaption>${escape(title)}</figcaption><svg viewBox="0 0 ${String(WIDTH)} ${String(HEIGHT)}" role="img" aria-label="${escape(title)}">${[...grid, ...drawn].join("")}</svg></figure>`;
}

export function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
