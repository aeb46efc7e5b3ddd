import type { Timings } from "./capacity.ts";
import type { MachineFacts } from "../../resources/examine-machine.ts";

export interface EngineMemory {
  readonly name: string;
  readonly residentMb: number;
  readonly swappedMb: number;
}

/** Findings about slow or missing resources, one line each with the remedy. Empty when there are none. */
export function findFaults(
  machine: MachineFacts,
  timings: Partial<Timings>,
  memory: readonly EngineMemory[],
): string[] {
  const faults: string[] = [];
  const {
    sttMs = 0,
    sttClipMs = 0,
    llmTokenMs = 0,
    llmOnGpu = true,
    llmThreads = 0,
    ttsMs = 0,
    ttsClipMs = 0,
  } = timings;
  const { vadMs = 0, vadFrameMs = 0 } = timings;
  if (machine.hasAvx2 === false)
    faults.push("This CPU has no AVX2: speech recognition is several times slower than on a newer CPU.");
  if (machine.gpu !== undefined && !llmOnGpu && llmThreads > 0)
    faults.push(
      `The language model does not use the GPU (${machine.gpu}): set models.llm.gpu to auto, or install its GPU build.`,
    );
  if (sttMs > sttClipMs * 0.5)
    faults.push(
      "Speech recognition takes more than half of real time: use a smaller model, more threads or a faster machine.",
    );
  if (llmTokenMs > 100)
    faults.push(
      "The language model writes under 10 tokens a second, about as fast as people talk: use a smaller model or a GPU.",
    );
  if (ttsMs > ttsClipMs * 0.5) faults.push("Speech synthesis takes more than half of real time: use a smaller voice.");
  if (vadMs > vadFrameMs * 0.1) faults.push("Voice activity takes over a tenth of real time for one caller.");
  for (const { name, swappedMb } of memory) {
    if (swappedMb > 20)
      faults.push(`${swappedMb.toFixed(0)} MB of the ${name} are swapped out: free memory, or use a smaller model.`);
  }
  if (machine.memoryAvailableMb < machine.memoryMb * 0.1)
    faults.push(`Only ${machine.memoryAvailableMb.toFixed(0)} MB of memory are free with the models loaded.`);
  if (machine.diskFreeMb < 500)
    faults.push(`Only ${machine.diskFreeMb.toFixed(0)} MB are free on the disk of data_dir.`);
  return faults;
}
