/** Number words that stand together and are one number. */
export interface NumberReading {
  /** Index after the last word. */
  readonly end: number;
  readonly digits: string;
  readonly isOrdinal: boolean;
}
