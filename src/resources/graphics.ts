import { z } from "zod";
import { startModelProcess } from "../child-processes/supervisor.ts";
import { workerUrl } from "../child-processes/worker-url.ts";
import { silentLog } from "../shared/log.ts";

const infoSchema = z.object({
  card: z.exactOptional(
    z.object({
      kind: z.enum(["cuda", "vulkan", "metal"]),
      name: z.string(),
      bytes: z.number(),
      freeBytes: z.number(),
      /** The card uses the machine's main memory. */
      isUnified: z.boolean(),
    }),
  ),
});

export type GraphicsCard = NonNullable<z.output<typeof infoSchema>["card"]>;

export interface GraphicsRequest {
  readonly gpu: "auto" | "cuda" | "vulkan" | "metal";
}

/** The card that llama.cpp would use; several cards of a kind count as one. Undefined without a working card. */
export async function findGraphicsCard(
  gpu: GraphicsRequest["gpu"],
  signal?: AbortSignal,
): Promise<GraphicsCard | undefined> {
  try {
    const child = await startModelProcess({
      name: "graphics card",
      model: gpu,
      worker: workerUrl("graphics-worker", import.meta.url),
      init: { gpu } satisfies GraphicsRequest,
      log: silentLog,
      signal,
    });
    await child.close();
    return infoSchema.parse(child.info).card;
  } catch {
    signal?.throwIfAborted();
    return undefined;
  }
}
