/** The state of an engine, for `/readyz` and metrics. */
export interface EngineHealth {
  /** Such as "language model". */
  readonly name: string;
  readonly state: "starting" | "ready" | "restarting" | "failed" | "closed";
  /** How often it came back after a failure. */
  readonly restarts: number;
  /** Facts of the loaded model. */
  readonly info?: unknown;
}
