import { existsSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../../shared/package-root.ts";
import { OakError } from "../../../shared/errors.ts";
import type { WhisperAddon } from "./addon.ts";

/** "auto": the machine's GPU, else the CPU. A named kind must exist, or the start fails. */
export type GpuChoice = "auto" | "off" | "cuda" | "vulkan";
export type GpuKind = "cuda" | "vulkan";

/**
 * Loads ggml's library for a graphics card from node-llama-cpp's packages. @returns The kind in use, or undefined for the CPU.
 * @throws OakError `GPU_UNAVAILABLE` if a named kind has no device.
 */
export function loadGpu(addon: Pick<WhisperAddon, "loadBackend">, choice: GpuChoice): GpuKind | undefined {
  if (choice === "off") return undefined;
  const kinds: readonly GpuKind[] = choice === "auto" ? ["cuda", "vulkan"] : [choice];
  const found = kinds.find((kind) => existsSync(libraryOf(kind)) && addon.loadBackend(libraryOf(kind)) > 0);
  if (found === undefined && choice !== "auto") {
    const message = `speech recognition cannot use ${choice} here; set models.stt.gpu to auto to use whatever GPU there is`;
    throw new OakError(message, { code: "GPU_UNAVAILABLE" });
  }
  return found;
}

function libraryOf(kind: GpuKind): string {
  const name = `linux-${process.arch}-${kind}`;
  return join(packageRoot, "node_modules", "@node-llama-cpp", name, "bins", name, `libggml-${kind}.so`);
}
