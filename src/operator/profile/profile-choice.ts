import { loadModelCatalog } from "../../config/model-catalog.ts";
import type { ServerConfig } from "../../config/server-config.ts";
import { examineMachine } from "../../resources/examine-machine.ts";
import { findGraphicsCard } from "../../resources/graphics.ts";
import { stoppedBySignal } from "../rehearse/stopped-by-signal.ts";
import { chooseProfile, type ProfileChoice } from "./choose-profile.ts";
import { machineSize } from "./machine-size.ts";
import { measureProfile } from "./measure-profile.ts";

/** Chooses a profile for this machine from its figures and short rehearsals. @throws OakError `STOPPED`. */
export async function chooseProfileHere(config: ServerConfig): Promise<ProfileChoice> {
  using stopped = stoppedBySignal();
  const card = await findGraphicsCard("auto", stopped.signal);
  const machine = machineSize(await examineMachine(config.dataDir), card);
  const { profiles } = loadModelCatalog();
  const say = (line: string) => void process.stderr.write(`profile: ${line}\n`);
  try {
    return await chooseProfile(profiles, machine, (name) => measureProfile(name, config, say, stopped.signal));
  } catch (error) {
    stopped.signal.throwIfAborted();
    throw error;
  }
}

/** The profile's name comes first: the installer reads it. */
export const describeChoice = ({ profile, reasons }: ProfileChoice): string =>
  [`profile ${profile}`, ...reasons].join("\n");
