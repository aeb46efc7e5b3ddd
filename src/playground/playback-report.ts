/** Samples at 24 kHz. */
export interface PlaybackReport {
  readonly played: number;
  readonly buffered: number;
  readonly isPlaying: boolean;
  /** How often a reply came late for its playback. */
  readonly gaps: number;
}
