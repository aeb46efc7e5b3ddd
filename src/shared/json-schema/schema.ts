export type JsonSchema = Readonly<Record<string, unknown>>;

/** Why a value does not fit, and where. `path`: dotted, empty for the value as a whole. */
export interface Fault {
  readonly path: string;
  readonly message: string;
}

export const isRecord = (value: unknown): value is JsonSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Checks parts of one value, with a limit for the work. `depth`: how many schemas the part is inside. */
export interface PartCheck {
  faults(schema: unknown, value: unknown, path: string, depth: number): readonly Fault[];
  fits(schema: unknown, value: unknown, path: string, depth: number): boolean;
  spend(steps: number): void;
}
