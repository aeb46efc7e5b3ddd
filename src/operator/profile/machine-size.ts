import type { GraphicsCard } from "../../resources/graphics.ts";
import type { MachineSize } from "./choose-profile.ts";

/** Cards that share the machine's memory do not count: they are not faster than the processor. */
export function machineSize(
  { cores, memoryMb, diskFreeMb }: { readonly cores: number; readonly memoryMb: number; readonly diskFreeMb: number },
  card: GraphicsCard | undefined,
): MachineSize {
  const gpuMemoryMb = card === undefined || card.isUnified ? 0 : card.bytes / 1e6;
  return { cores, memoryMb, diskMb: diskFreeMb, gpuMemoryMb };
}
