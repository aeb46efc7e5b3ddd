import { z } from "zod";
import type { CallControl, Tool } from "../../conversation/tool-calls/tool.ts";
import { builtInTool } from "./built-in-tool.ts";

const line = z.string().max(1_000);

/** Ends the call after the assistant's next words. */
export const endCallTool = ({ end }: CallControl): Tool =>
  builtInTool({
    name: "end_call",
    description: "Ends the call. Only when the caller has said goodbye or wants to end it.",
    parameters: z.object({ reason: line.optional() }),
    run({ reason = "" }) {
      end({ transferTo: undefined, reason, summary: "" });
      return { call: "ends after your next words", say: "goodbye" };
    },
  });

/** @param targets The purpose of each target, by its name. */
export const transferTool = ({ end }: CallControl, targets: Readonly<Record<string, string>>): Tool =>
  builtInTool({
    name: "transfer",
    description: `Transfers the caller to: ${Object.entries(targets)
      .map(([name, what]) => `${name} (${what})`)
      .join(", ")}. Only when the caller wants it or you cannot help.`,
    parameters: z.object({ target: z.enum(Object.keys(targets)), reason: line, summary: line }),
    run({ target, reason, summary }) {
      end({ transferTo: target, reason, summary });
      return { transfer: `to ${target} after your next words` };
    },
  });
