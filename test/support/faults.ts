import { FaultBoundary } from "../../src/shared/fault-boundary.ts";
import { Tasks } from "../../src/shared/tasks.ts";

/** For a session, or a part of one, whose test expects no fault. */
export const onFault = (error: unknown): never => {
  throw error;
};
export const faults = new FaultBoundary(onFault);
export const ownedTasks = (): Tasks => new Tasks(onFault);
