/** A Lua script that the store runs as one step. */
export interface Script {
  readonly text: string;
  /** SHA-1 of the text, hex. */
  readonly sha1: string;
}

export interface SetOptions {
  /** The store deletes the key after this time. */
  readonly ttlMs: number;
}

/** Why commands failed. `unreachable`: no connection. `late`: no answer in time. `refused`: password, permission, or no memory. `data`: a wrong kind of value. */
export type ClusterFailure = "unreachable" | "late" | "refused" | "data";

/**
 * A Valkey or Redis server that the boxes share. Each command fails with `CLUSTER_UNAVAILABLE` within its deadline when the
 * store does not answer, and at once while it is known to be lost. A value of the wrong kind fails with `CLUSTER_DATA_WRONG`.
 * Callers then apply the rules of a single box. The names of keys get the fleet's name as a prefix.
 */
export interface Cluster {
  /** False while the store is lost. */
  readonly isConnected: boolean;
  /** Why the store is lost, for the operator. Undefined while it answers. */
  readonly fault: string | undefined;
  /** Failed commands and connections since the start. */
  readonly failures: Readonly<Record<ClusterFailure, number>>;
  /** A secret of 32 bytes for one purpose. All boxes of the fleet derive the same one. */
  deriveKey(purpose: string): Buffer;
  set(key: string, value: string | Buffer, options: SetOptions): Promise<void>;
  get(key: string): Promise<Buffer | undefined>;
  /** False when there was no such key. */
  delete(key: string): Promise<boolean>;
  run(script: Script, keys: readonly string[], args: readonly (string | number | Buffer)[]): Promise<unknown>;
  close(): void;
}
