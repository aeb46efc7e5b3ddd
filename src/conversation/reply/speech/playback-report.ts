/** Report of a client that counts its playback. */
export type PlaybackReport =
  | { readonly type: "played"; readonly reply: number; readonly playedMs: number }
  /** The client's buffer is full, or has room again. */
  | { readonly type: "full" | "room" };
