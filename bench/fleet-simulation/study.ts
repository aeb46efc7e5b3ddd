import type { Row } from "../text-table.ts";

/** The answer to one question: a table, perhaps a figure, and the numbers. */
export interface Study {
  /** Field of the JSON report. */
  readonly name: string;
  readonly title: string;
  /** Conditions and meaning, one or two sentences. */
  readonly text: string;
  readonly table: readonly Row[];
  /** SVG figures as HTML. */
  readonly figure?: string;
  readonly data: unknown;
}

export const percent = (share: number, digits = 1): string => `${(100 * share).toFixed(digits)} %`;
