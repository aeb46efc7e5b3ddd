import type { Profile, ProfileNeeds } from "../config/model-catalog.ts";

/** What decides which profiles a machine can run. */
export interface MachineSize {
  readonly cores: number;
  readonly memoryMb: number;
  readonly diskMb: number;
  /** Of the graphics card; 0 without one. */
  readonly gpuMemoryMb: number;
}

/** How soon a profile answers: seconds from the end of a turn to the first sound, or why that was not measured. */
export type Measurement = { readonly seconds: number; readonly parts: string } | { readonly notMeasured: string };

export interface ProfileChoice {
  readonly profile: Profile;
  /** One line each: the machine, what was measured, what the next larger profile needs. */
  readonly reasons: readonly string[];
}

/** The figures that a machine lacks for a profile, as "8 cores"; empty when it has all of them. */
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
 * The largest profile that the machine has the figures for and that answers soon enough. A profile that cannot be measured
 * is chosen by the figures alone. `profiles`: the smallest first; it is chosen when no other one is.
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
