import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { packageRoot } from "../../src/shared/package-root.ts";

const css = readFileSync(join(packageRoot, "src", "playground", "style.css"), "utf8");
const [light = {}, dark = {}] = [...css.matchAll(/:root \{([^}]*)\}/gu)].map(
  ([, block = ""]) =>
    Object.fromEntries([...block.matchAll(/(--[\w-]+): (#\w+);/gu)].map(([, name, value]) => [name, value])) as Record<
      string,
      string
    >,
);

/** Pairs of a text's colour and what is behind it. */
const TEXTS = [
  ["ink", "page card you-soft accent-soft emotion-soft line"],
  ["muted", "page card you-soft accent-soft"],
  ["accent", "accent-soft"],
  ["on-accent", "accent"],
  ["you", "you-soft"],
  ["warn", "card emotion-soft"],
  ["danger", "card"],
] as const;
/** Borders of fields, the focus, and bars. */
const SHAPES = [
  ["field", "page card"],
  ["accent", "page card"],
  ...[0, 1, 2, 3, 4].map((stage) => [`stage-${String(stage)}`, "card"] as const),
] as const;

test.each([
  ["light", light],
  ["dark", { ...light, ...dark }],
])("the %s colours have the contrasts of WCAG AA", (_name, colours) => {
  const of = (name: string) => colours[`--${name}`] ?? expect.fail(`--${name} is missing`);
  const tooPale = (pairs: readonly (readonly [string, string])[], least: number) =>
    pairs.flatMap(([front, backs]) =>
      backs
        .split(" ")
        .filter((back) => contrast(of(front), of(back)) < least)
        .map((back) => `${front} on ${back}: ${contrast(of(front), of(back)).toFixed(2)}`),
    );
  expect(tooPale(TEXTS, 4.5)).toEqual([]);
  expect(tooPale(SHAPES, 3)).toEqual([]);
});

/** WCAG 2.2, contrast ratio. */
function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
