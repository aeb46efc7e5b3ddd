/** Samples at 24 kHz. */
export interface PlaybackReport {
  readonly played: number;
  readonly buffered: number;
  readonly isPlaying: boolean;
  /** Times that a reply was late for its own playback. */
  readonly gaps: number;
}
