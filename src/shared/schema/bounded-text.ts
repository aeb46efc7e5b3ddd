import { z } from "zod";

/** At most `max` characters, counted as JSON Schema counts them: an emoji is one, in UTF-16 it is two. */
export const boundedText = (max: number) =>
  z
    .string()
    .refine((value) => value.length <= max || (value.length <= 2 * max && Array.from(value).length <= max), {
      message: `must have at most ${max} characters`,
    })
    .meta({ maxLength: max });
