import { createHash } from "node:crypto";
import { basename } from "node:path";
import type { Recording } from "../../src/simulated-callers/recordings/recordings.ts";

/** `work` is there to choose values on. `final`, about a third of the speakers, only measures. */
export const PARTS = ["work", "final", "all"] as const;

/** The part of a recording. It depends on the speaker alone, or on the file name when the speaker is unknown. */
export function partOf({ speaker, path }: Pick<Recording, "speaker" | "path">): "work" | "final" {
  const hash = createHash("sha256")
    .update(speaker ?? basename(path))
    .digest();
  return hash.readUInt32BE() % 3 === 0 ? "final" : "work";
}
