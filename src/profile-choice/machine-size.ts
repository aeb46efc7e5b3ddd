import type { GraphicsCard } from "../resources/graphics.ts";
import type { MachineSize } from "./choose-profile.ts";

/** A card that shares the machine's memory is slower than the processor's threads, or is the processor: it does not count. */
export function machineSize(
  { cores, memoryMb, diskFreeMb }: { readonly cores: number; readonly memoryMb: number; readonly diskFreeMb: number },
  card: GraphicsCard | undefined,
): MachineSize {
  const gpuMemoryMb = card === undefined || card.isUnified ? 0 : card.bytes / 1e6;
  return { cores, memoryMb, diskMb: diskFreeMb, gpuMemoryMb };
}
