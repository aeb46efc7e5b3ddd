import { loadModelCatalog, type Profile } from "../../config/model-catalog.ts";
import type { ServerConfig } from "../../config/server-config.ts";
import type { VoiceConfiguration } from "../../config/voice-configuration.ts";
import { speakerModels } from "../../service/engine-starters.ts";
import { describeThreads } from "../../resources/thread-budget.ts";
import { findGraphicsCard, type GraphicsCard } from "../../resources/graphics.ts";
import { lacking, type MachineSize } from "../profile/choose-profile.ts";
import { machineSize } from "../profile/machine-size.ts";
import { memoryFor, threadsFor } from "../../resources/resources.ts";
import type { MachineFacts } from "../../resources/examine-machine.ts";

export interface Plan {
  /** One line for each of: threads, memory, profile. */
  readonly lines: readonly string[];
  /** Memory that is short. */
  readonly faults: readonly string[];
}

/** Resources that the server would take. `card`: the graphics card that the configuration allows. */
export async function planFor(
  config: ServerConfig,
  machine: MachineFacts,
  card: GraphicsCard | undefined,
  voices: readonly VoiceConfiguration[],
): Promise<Plan> {
  const memory = memoryFor(config.models, config.limits.max_connections, card, { speaker: speakerModels(voices) });
  const size = machineSize(machine, card ?? (await findGraphicsCard("auto")));
  return {
    lines: [
      `threads, ${describeThreads(machine.cores, threadsFor(config.models, card))}`,
      ...memory.flatMap(({ verdict, text }) => (verdict === "fits" ? [text] : [])),
      describeProfile(config.profile, size),
    ],
    faults: memory.flatMap(({ verdict, text }) => (verdict === "fits" ? [] : [text])),
  };
}

/** Uses the machine's figures. Nothing is measured. */
function describeProfile(configured: Profile, size: MachineSize): string {
  const { profiles } = loadModelCatalog();
  const largest = profiles.findLastIndex((needs) => lacking(needs, size).length === 0);
  const next = profiles[largest + 1];
  const more = next === undefined ? "" : `; ${next.name} needs ${lacking(next, size).join(" and ")}`;
  const name = profiles[Math.max(0, largest)]?.name ?? configured;
  return `profile: ${configured}; this machine is large enough for ${name}${more}. To measure it: doctor --choose-profile`;
}
