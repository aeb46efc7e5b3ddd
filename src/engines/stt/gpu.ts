import { existsSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../config/package-root.ts";
import { OakError } from "../../shared/errors.ts";
import type { WhisperAddon } from "./addon.ts";

/** "auto": what the machine has, or the CPU. A kind by name: that one, or the start fails. */
export type GpuChoice = "auto" | "off" | "cuda" | "vulkan";
export type GpuKind = "cuda" | "vulkan";

/**
 * Loads ggml's library for a graphics card from node-llama-cpp's packages. Returns the kind in use; undefined: the CPU alone.
 * @throws OakError `GPU_UNAVAILABLE` when a kind that was asked for by name has no device here.
 */
export function loadGpu(addon: Pick<WhisperAddon, "loadBackend">, choice: GpuChoice): GpuKind | undefined {
  if (choice === "off") return undefined;
  const kinds: readonly GpuKind[] = choice === "auto" ? ["cuda", "vulkan"] : [choice];
  const found = kinds.find((kind) => existsSync(libraryOf(kind)) && addon.loadBackend(libraryOf(kind)) > 0);
  if (found === undefined && choice !== "auto") {
    const message = `speech recognition cannot use ${choice} here; set models.stt.gpu to auto to use what there is`;
    throw new OakError(message, { code: "GPU_UNAVAILABLE" });
  }
  return found;
}

function libraryOf(kind: GpuKind): string {
  const name = `linux-${process.arch}-${kind}`;
  return join(packageRoot, "node_modules", "@node-llama-cpp", name, "bins", name, `libggml-${kind}.so`);
}
