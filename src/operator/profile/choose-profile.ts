import type { Profile, ProfileNeeds } from "../../config/model-catalog.ts";

/** Figures that decide which profiles a machine can run. */
export interface MachineSize {
  readonly cores: number;
  readonly memoryMb: number;
  readonly diskMb: number;
  /** Memory of the graphics card, or 0. */
  readonly gpuMemoryMb: number;
}

/** Seconds from the end of a turn to the first sound, or the reason why they were not measured. */
export type Measurement = { readonly seconds: number; readonly parts: string } | { readonly notMeasured: string };

export interface ProfileChoice {
  readonly profile: Profile;
  /** Lines about the machine, the measurements, and the needs of the next larger profile. */
  readonly reasons: readonly string[];
}

/** Needs of a profile that the machine does not meet, for example "8 cores". */
export function lacking(needs: ProfileNeeds, machine: MachineSize): readonly string[] {
  const { cores, memory_mb: memoryMb, disk_mb: diskMb, gpu_memory_mb: gpuMb = 0 } = needs;
  return [
    ...(machine.cores < cores ? [`${String(cores)} cores`] : []),
    ...(machine.memoryMb < memoryMb ? [`${gigabytes(memoryMb)} of memory`] : []),
    ...(machine.diskMb < diskMb ? [`${gigabytes(diskMb)} of free disk`] : []),
    ...(machine.gpuMemoryMb < gpuMb ? [`a graphics card with ${gigabytes(gpuMb)} of memory`] : []),
  ];
}

/**
 * Chooses the largest profile whose needs the machine meets and that answers within its limit. If a profile cannot be measured,
 * the machine's figures decide. `profiles`: the smallest first. The smallest is chosen if no other one fits.
 */
export async function chooseProfile(
  profiles: readonly ProfileNeeds[],
  machine: MachineSize,
  measure: (profile: Profile) => Promise<Measurement>,
): Promise<ProfileChoice> {
  const reasons = [`this machine: ${describeMachineSize(machine)}`];
  let next: string | undefined;
  for (const needs of profiles.toReversed()) {
    const { name, answer_seconds: limit } = needs;
    const missing = lacking(needs, machine);
    const isSmallest = needs === profiles[0];
    if (missing.length > 0 && !isSmallest) {
      next = `${name} needs ${missing.join(" and ")}`;
      continue;
    }
    const found = isSmallest ? { notMeasured: "its models ship" } : await measure(name);
    const isSlow = "seconds" in found && found.seconds > limit;
    reasons.push("seconds" in found ? describeTime(name, found, limit) : `${name}: not measured, ${found.notMeasured}`);
    if (isSlow) {
      next = undefined;
      continue;
    }
    return { profile: name, reasons: [...reasons, ...(next === undefined ? [] : [next])] };
  }
  throw new RangeError("there is no profile to choose");
}

export function describeMachineSize({ cores, memoryMb, diskMb, gpuMemoryMb }: MachineSize): string {
  const card = gpuMemoryMb > 0 ? `a graphics card with ${gigabytes(gpuMemoryMb)}` : "no graphics card";
  return `${String(cores)} ${cores === 1 ? "core" : "cores"}, ${gigabytes(memoryMb)} of memory, ${gigabytes(diskMb)} of free disk, ${card}`;
}

function describeTime(name: Profile, { seconds, parts }: { seconds: number; parts: string }, limit: number): string {
  const verdict = seconds > limit ? `, too slow (limit ${limit.toFixed(1)} s)` : "";
  return `${name}: answers ${seconds.toFixed(1)} s after the end of a turn${verdict}: ${parts}`;
}

const gigabytes = (mb: number): string => `${(mb / 1000).toFixed(1)} GB`;
