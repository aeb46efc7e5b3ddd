import { OakError } from "../shared/errors.ts";

/** Handles a rejected command: undefined for a failure of the store, which the cluster has reported. @throws other errors. */
export function passOverLoss(error: unknown): undefined {
  if (error instanceof OakError && error.code.startsWith("CLUSTER_")) return undefined;
  throw error;
}
