import { OakError } from "../../shared/errors.ts";
import type { Tensor } from "../onnx/onnxruntime.ts";

/** Largest log odds, in either direction. No network is surer than that. */
const MOST_ODDS = 5;

/** Output `probability` of a graph. Throws OakError `TURN_FAILED` on an answer outside 0 to 1. */
export function probabilityOf(answer: Readonly<Record<string, Tensor>>): number {
  const probability: unknown = answer["probability"]?.data[0];
  if (typeof probability !== "number" || !(probability >= 0 && probability <= 1))
    throw new OakError("The end-of-turn model's answer is not a probability.", { code: "TURN_FAILED" });
  return probability;
}

/** -5 to 5. */
export const logOdds = (probability: number): number =>
  Math.min(MOST_ODDS, Math.max(-MOST_ODDS, Math.log(probability / (1 - probability))));
