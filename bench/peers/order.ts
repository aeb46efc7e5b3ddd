import type { SystemName } from "./systems.ts";

/** The systems take turns, so that a change of the machine's speed affects both. */
export const alternate = (systems: readonly SystemName[], runs: number): readonly SystemName[] =>
  Array.from({ length: runs }, () => systems).flat();
