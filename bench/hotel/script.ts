import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { packageRoot } from "../../src/shared/package-root.ts";
import { turnSchema } from "../callers/script.ts";
import { FAULTS, type Fault } from "./faults.ts";

const stay = z.strictObject({ nights: z.int(), day: z.string(), people: z.int(), name: z.string() });
const anything = z.array(z.record(z.string(), z.unknown()));
const fault = z.enum(Object.keys(FAULTS) as [Fault, ...Fault[]]);

const hotelSchema = z.strictObject({
  voices: z.array(z.string()).min(1),
  system_prompt: z.string(),
  facts: z.array(z.string()),
  /** Tools without their addresses. */
  webhooks: anything,
  targets: z.record(z.string(), z.string()),
  stays: z.array(stay),
  callers: z.array(
    z.strictObject({
      task: z.string(),
      part: z.enum(["work", "final"]).default("work"),
      turns: z.array(turnSchema).min(1),
      faults: z.record(z.string(), fault).default({}),
      expect: z.strictObject({
        stays: z.exactOptional(z.array(stay)),
        taxis: anything.default([]),
        wakes: anything.default([]),
        deliveries: anything.default([]),
        transferred: z.string().default(""),
        ended: z.boolean().default(false),
        replied: z.exactOptional(z.string()),
      }),
    }),
  ),
});
export type HotelScript = z.output<typeof hotelSchema>;
export type Guest = HotelScript["callers"][number];

export const readHotel = (): HotelScript =>
  hotelSchema.parse(parse(readFileSync(join(packageRoot, "bench", "hotel", "hotel.yaml"), "utf8")));
