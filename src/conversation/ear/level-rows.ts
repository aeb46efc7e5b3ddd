import { BANDS, FLOOR_DB } from "../../audio/band-levels.ts";

/** Rows kept: the comparison of the echo guard, its longest delay, and speech that is sent ahead of its playback. */
const ROWS = 512;
/** A further row that is never written. */
const SILENT_ROW = ROWS;

/** Levels of eight bands, one row for every 10 ms of the session. Holds the last 5 s; all other rows read as silent. */
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

  /** Sets the next row. Skipped rows are silent; a row behind the end is overwritten. */
  moveTo(row: number): void {
    for (let silent = Math.max(this.#end, row - ROWS); silent < row; silent++)
      this.#levels.fill(FLOOR_DB, index(silent, 0), index(silent, 0) + BANDS);
    this.#end = row;
  }

  /** Reads silent levels from a row as well: V8 treats a constant as an integer, and would allocate every level on the heap. */
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
