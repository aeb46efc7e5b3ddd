import type { ModelsConfig } from "../config/server-config.ts";
import { describeThreads, threadBudget, type ThreadBudget } from "./thread-budget.ts";
import {
  fastRecogniserNeed,
  languageModelNeeds,
  recogniserNeed,
  sizeOf,
  speakerNeed,
  voiceNeed,
} from "./engine-needs.ts";
import { findGraphicsCard, type GraphicsCard } from "./graphics.ts";
import { planMemory, type MemoryPlan } from "./memory-plan.ts";
import { machineLimits } from "./machine-limits.ts";
import { USUAL_BEAMS } from "../engines/stt/whisper/beams.ts";

/** A server's models: the configured ones first, then those that voice configurations name. Absent: the configured ones. */
export interface ModelPaths {
  readonly stt: readonly string[];
  readonly llm: readonly string[];
  readonly tts: readonly string[];
  readonly speaker: readonly string[];
}

type Models = Pick<ModelsConfig, "stt" | "llm" | "tts">;

/** No path for a remote model. */
const local = (path: string): readonly string[] => (path === "" ? [] : [path]);

/** The graphics card, if an engine's setting allows one. */
export async function graphicsCardFor({ stt, llm }: Models, signal?: AbortSignal): Promise<GraphicsCard | undefined> {
  const wanted = [stt.gpu, llm.gpu].filter((gpu) => gpu !== "off");
  const [kind] = wanted.toSorted((one) => (one === "auto" ? 1 : -1));
  return kind === undefined ? undefined : findGraphicsCard(kind, signal);
}

export function threadsFor(models: Models, card: GraphicsCard | undefined): ThreadBudget {
  return divideCores(models, card, recognitionUsesCard(models, card));
}

/** Whether recognition runs on the graphics card. With "auto", a card without room for it leaves it on the CPU. */
export function recognitionUsesCard(models: Models, card: GraphicsCard | undefined): boolean {
  const { path, gpu, beams } = models.stt;
  if (card === undefined || path === "" || !isOn(card, gpu)) return false;
  if (gpu !== "auto" || card.isUnified) return true;
  const { lanes } = divideCores(models, card, true).stt;
  const { modelBytes, bufferBytes } = recogniserNeed(path, lanes, beams || USUAL_BEAMS.other, true);
  return modelBytes + bufferBytes <= card.freeBytes;
}

function divideCores({ stt, llm, tts }: Models, card: GraphicsCard | undefined, recognitionOnGpu: boolean) {
  return threadBudget(machineLimits().cores, {
    stt: { bytes: sizeOf(stt.path), onGpu: recognitionOnGpu, threads: stt.threads, isRemote: stt.path === "" },
    llm: { bytes: sizeOf(llm.path), onGpu: isOn(card, llm.gpu), threads: llm.threads, isRemote: llm.path === "" },
    tts: { threads: tts.threads, isRemote: tts.dir === "" },
  });
}

/** Plans each kind of memory before any model is loaded. */
export function memoryFor(
  models: Models,
  callers: number,
  card: GraphicsCard | undefined,
  named: Partial<ModelPaths> = {},
): readonly MemoryPlan[] {
  const paths: ModelPaths = {
    stt: local(models.stt.path),
    llm: local(models.llm.path),
    tts: local(models.tts.dir),
    speaker: [],
    ...named,
  };
  const { stt, llm } = models;
  const {
    stt: { lanes },
    tts: { jobs },
  } = threadsFor(models, card);
  const needs = [
    ...paths.stt.map((path) =>
      recogniserNeed(
        path,
        lanes,
        stt.beams || USUAL_BEAMS.other,
        recognitionUsesCard({ ...models, stt: { ...stt, path } }, card),
      ),
    ),
    ...(stt.fastPath === undefined ? [] : [fastRecogniserNeed(stt.fastPath)]),
    ...paths.llm.flatMap((path) => languageModelNeeds(path, isOn(card, llm.gpu))),
    ...paths.tts.map((folder) => voiceNeed(folder, jobs)),
    ...paths.speaker.map(speakerNeed),
  ];
  return planMemory(
    needs,
    { callers, contextTokens: llm.contextTokens },
    {
      ramBytes: machineLimits().memoryFreeBytes,
      ...(card && { gpuBytes: card.freeBytes, isUnified: card.isUnified }),
    },
  );
}

/** One line for the division of the cores, and one for each kind of memory that models and calls take. */
export async function describeResources(models: Models, callers: number): Promise<readonly string[]> {
  const card = await graphicsCardFor(models);
  const threads = describeThreads(machineLimits().cores, threadsFor(models, card));
  return [threads, ...memoryFor(models, callers, card).map(({ text }) => text)];
}

const isOn = (card: GraphicsCard | undefined, choice: Models["llm"]["gpu"]): boolean =>
  card !== undefined && (choice === "auto" || choice === card.kind);
