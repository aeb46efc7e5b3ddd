import { BANDS, FLOOR_DB } from "../../audio/band-levels.ts";

/** Rows kept: what the echo guard compares and the longest delay, with room for what is sent ahead of its playback. */
const ROWS = 512;
/** After them: one that is never written. */
const SILENT_ROW = ROWS;

/** Levels of eight bands, a row every 10 ms since the session began: the last 5 s of them. What is not held was silent. */
export class LevelRows {
  readonly #levels = new Float32Array((ROWS + 1) * BANDS).fill(FLOOR_DB);
  #end = 0;

  /** One past the newest row. */
  get end(): number {
    return this.#end;
  }

  push(levels: Float32Array): void {
    this.#levels.set(levels, index(this.#end, 0));
    this.#end++;
  }

  /** The next row is this one: those left out were silent, those it goes back over are replaced. */
  moveTo(row: number): void {
    for (let silent = Math.max(this.#end, row - ROWS); silent < row; silent++)
      this.#levels.fill(FLOOR_DB, index(silent, 0), index(silent, 0) + BANDS);
    this.#end = row;
  }

  /** A level is read from a row here too: a constant is a whole number to V8, and every level would be a number object on the heap. */
  at(row: number, band: number): number {
    const isHeld = row >= 0 && row < this.#end && row >= this.#end - ROWS;
    return this.#levels[isHeld ? index(row, band) : SILENT_ROW * BANDS + band]!;
  }

  /** Fills each band's array with its levels from row `from` on. */
  copyTo(bands: readonly Float32Array[], from: number): void {
    for (let band = 0; band < BANDS; band++) {
      const rows = bands[band]!;
      for (let row = 0; row < rows.length; row++) rows[row] = this.at(from + row, band);
    }
  }
}

const index = (row: number, band: number): number => (row % ROWS) * BANDS + band;
