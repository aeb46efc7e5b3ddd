import { z } from "zod";

const listSchema = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      /** vLLM and SGLang. */
      max_model_len: z.number().positive().nullish(),
      /** llama-server. */
      meta: z.object({ n_ctx: z.number().positive().nullish() }).nullish(),
    }),
  ),
});

/** The context of a model in tokens, from the answer to `/models`. Undefined when the server does not say it. */
export function contextOf(list: string, model: string): number | undefined {
  try {
    const { data } = listSchema.parse(JSON.parse(list));
    const found = data.find(({ id }) => id === model) ?? (data.length === 1 ? data[0] : undefined);
    return found?.max_model_len ?? found?.meta?.n_ctx ?? undefined;
  } catch {
    return undefined;
  }
}
