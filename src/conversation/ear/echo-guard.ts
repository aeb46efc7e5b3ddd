import { BANDS, BandLevels } from "../../audio/band-levels.ts";
import { LevelRows } from "./level-rows.ts";

const HOP_MS = 10;
const SAMPLES_PER_MS = 16;
/** Longest delay from sending speech to hearing its echo, in rows: network, playback buffer, room, network. */
const MAX_DELAY_ROWS = 70;
/** The echo may come this early, in rows: session time starts late when the first audio of the caller was slow. */
const MIN_DELAY_ROWS = -25;
/** Rows in one comparison: 0.6 s. */
const WINDOW_ROWS = 60;
/** Share of a row's power that reverberates into the next row. Value for a small room; it also works for no room and for a bare one. */
const ROOM = 0.55;
/** Level of noise over its quietest row of 16 ms, dB. */
const NOISE_SPREAD_DB = 10;
/** Rise of the noise estimate per row: 5 dB a second. */
const NOISE_RISE_DB = 0.05;
/** A row of the reply below this level is ignored, dB. */
const QUIET_DB = -60;
/** Minimum number of compared rows with speech of the reply. */
const MIN_ACTIVE_ROWS = 25;
/** Minimum variation of the levels (standard deviation 4 dB), summed over the window and all bands. */
const LEAST_POWER = 4 ** 2 * WINDOW_ROWS * BANDS;
/** Correlation of the levels at which the microphone counts as hearing the reply. */
const MATCH = 0.85;
/**
 * Rows between two correlations, and successive matches at the same delay that prove an echo. Two voices that begin at the same
 * time match for a moment (0.95 for 0.16 s was measured). An echo keeps matching.
 */
const MATCH_STEP_ROWS = 9;
const MATCHES_NEEDED = 4;
/** After this many matches, sound that keeps matching is not evidence of a caller. */
const MATCHES_TO_DOUBT = 2;
/** A band counts as echo up to this much over its expected level, dB. The margin is larger after only a few correlations. */
const MARGIN_DB = 6;
const FIRST_MARGIN_DB = 10;
const MEASUREMENTS_TO_TRUST = 8;
/** A voice over the echo is louder in at least this many bands. */
const VOICE_BANDS = 2;
/** Error of the delay from clocks and rounding, in rows. */
const SLACK_ROWS = 2;
/** Error of the delay for a while after a gap, in rows. */
const RESTART_SLACK_ROWS = 30;
const RESTART_ROWS = 120;
/** The echo is gone when the microphone stays `GONE_DB` below its expected level during `GONE_ROWS` rows. */
const GONE_DB = 10;
const GONE_ROWS = 40;

interface EchoPath {
  readonly delayRows: number;
  /** Number of measurements. */
  readonly measurements: number;
  /** Level of the microphone over the reply, per band. */
  readonly gainDb: Float32Array;
}

/**
 * Distinguishes the reply's echo from the caller's voice, for clients without echo cancellation. Correlates the levels of eight
 * bands in the microphone with those of the sent speech, over all delays. A match gives delay and loss. After that, a frame
 * that is not louder than the expected echo is the echo. A voice over the echo is louder.
 */
export class EchoGuard {
  /** Row `n` holds the 10 ms that begin `n * 10` ms into the session. */
  readonly #sent = new LevelRows();
  readonly #heard = new LevelRows();
  readonly #sentLevels = new BandLevels();
  /** Power of the sent speech with its reverberation, per band. */
  readonly #lingering = new Float64Array(BANDS);
  readonly #heardLevels = new BandLevels();
  /** Buffers of the correlation, one array per band. */
  readonly #heardWindow = bandRows(WINDOW_ROWS);
  readonly #sentWindow = bandRows(WINDOW_ROWS + MAX_DELAY_ROWS - MIN_DELAY_ROWS);
  /** Statistics of the microphone's window per band: sums of levels and squares, and the peak over the noise. */
  readonly #heardSum = new Float64Array(BANDS);
  readonly #heardSquares = new Float64Array(BANDS);
  readonly #heardRange = new Float64Array(BANDS);
  /** Noise floor of the microphone per band: the quietest level, rising slowly. */
  readonly #noise = new Float32Array(BANDS);
  #lastActiveRow = -Infinity;
  #path: EchoPath | undefined;
  #candidate = { delayRows: 0, matches: 0 };
  #matchedAtRow = 0;
  /** Row at which playback resumed after a gap. */
  #restartRow = -Infinity;
  #goneRows = 0;
  #rulesOutEcho = false;

  readonly #onHeardRow = (levels: Float32Array): void => {
    this.#heard.push(levels);
    for (let band = 0; band < BANDS; band++)
      this.#noise[band] = Math.min(levels[band]!, this.#noise[band]! + NOISE_RISE_DB);
  };

  /** True when the microphone may hear the reply. It is not certain yet. */
  get suspectsEcho(): boolean {
    return this.#path !== undefined || this.#candidate.matches > 0;
  }

  /** True when the microphone is known to hear the reply. */
  get hearsEcho(): boolean {
    return this.#path !== undefined;
  }

  /** True when the microphone stayed silent while the reply played. */
  get rulesOutEcho(): boolean {
    return this.#rulesOutEcho;
  }

  /** Delay of the echo, ms; undefined when there is none. */
  get delayMs(): number | undefined {
    return this.#path && this.#path.delayRows * HOP_MS;
  }

  /** Speech that the client plays from `atMs` of session time on; 16 kHz. */
  played(samples: Float32Array, atMs: number): void {
    if (atMs < 0) {
      const before = Math.ceil(-atMs * SAMPLES_PER_MS);
      if (before < samples.length) this.played(samples.subarray(before), 0);
      return;
    }
    const row = Math.round(atMs / HOP_MS);
    // Chunks follow each other without a gap; rounding must not open one.
    if (Math.abs(row - this.#sent.end) > 2) {
      if (row > this.#sent.end) this.#restartRow = row;
      this.#sent.moveTo(row);
    }
    this.#sentLevels.push(samples, (levels) => {
      if (exceeds(levels, QUIET_DB)) this.#lastActiveRow = this.#sent.end;
      this.#linger(levels);
      this.#sent.push(levels);
    });
  }

  /** Adds reverberation to the sent speech: each sound decays. */
  #linger(levels: Float32Array): void {
    for (let band = 0; band < BANDS; band++) {
      this.#lingering[band] = power(levels[band]!) + ROOM * this.#lingering[band]!;
      levels[band] = 10 * Math.log10(this.#lingering[band]!);
    }
  }

  /** Takes the next samples of the microphone (16 kHz, without gaps). Returns true when they hold only the reply's echo. */
  heard(samples: Float32Array): boolean {
    const from = this.#heard.end;
    this.#heardLevels.push(samples, this.#onHeardRow);
    const to = this.#heard.end;
    if (from - this.#lastActiveRow > MAX_DELAY_ROWS) {
      this.#candidate.matches = 0; // no later correlation could clear the suspicion
      return false;
    }
    if (to - this.#matchedAtRow >= MATCH_STEP_ROWS) {
      this.#matchedAtRow = to;
      this.#match(to);
    }
    const path = this.#path;
    const { delayRows, matches } = this.#candidate;
    if (path === undefined) return matches >= MATCHES_TO_DOUBT;
    // After a gap a client may play earlier or later, at the same level. A match soon gives the new delay.
    if (matches > 0 && this.#explains({ ...path, delayRows }, from, to, SLACK_ROWS)) return true;
    const unsettled = matches === 0 && from - this.#restartRow < RESTART_ROWS;
    return this.#explains(path, from, to, unsettled ? RESTART_SLACK_ROWS : SLACK_ROWS);
  }

  /** Samples of the microphone are missing: the next ones begin at `atMs` of session time. */
  skipTo(atMs: number): void {
    this.#heard.moveTo(Math.max(this.#heard.end, Math.round(atMs / HOP_MS)));
  }

  #match(to: number): void {
    this.#heard.copyTo(this.#heardWindow, to - WINDOW_ROWS);
    this.#sent.copyTo(this.#sentWindow, to - WINDOW_ROWS - MAX_DELAY_ROWS);
    this.#cutNoise();
    const heardPower = this.#heardPower();
    // A silent microphone, the usual case during a reply, cannot match at any delay.
    if (heardPower < LEAST_POWER) {
      this.#candidate.matches = 0;
      this.#rulesOutEcho ||= this.#path === undefined && this.#wasAudible(to);
      return;
    }
    let best = 0;
    let delayRows = 0;
    for (let delay = MIN_DELAY_ROWS; delay <= MAX_DELAY_ROWS; delay++) {
      const correlation = this.#correlation(MAX_DELAY_ROWS - delay, heardPower);
      if (correlation > best) {
        best = correlation;
        delayRows = delay;
      }
    }
    if (best < MATCH) {
      this.#candidate.matches = 0;
      return;
    }
    const same = Math.abs(delayRows - this.#candidate.delayRows) <= 1;
    this.#candidate = { delayRows, matches: same ? this.#candidate.matches + 1 : 1 };
    if (this.#candidate.matches >= MATCHES_TO_DOUBT) this.#rulesOutEcho = false;
    if (this.#candidate.matches >= MATCHES_NEEDED) this.#learn(to, delayRows);
  }

  /** True when the window before `to` must hold the reply's echo at any delay. */
  #wasAudible(to: number): boolean {
    const from = Math.max(0, this.#restartRow) + MAX_DELAY_ROWS;
    const until = this.#lastActiveRow + MIN_DELAY_ROWS;
    return from <= to - MIN_ACTIVE_ROWS && until >= to - WINDOW_ROWS + MIN_ACTIVE_ROWS;
  }

  /**
   * Ignores echo that the noise of the room hides. The microphone's levels are cut at the noise, and the reply's levels equally
   * far below their own peak.
   */
  #cutNoise(): void {
    for (let band = 0; band < BANDS; band++) {
      const heard = this.#heardWindow[band]!;
      const least = this.#noise[band]! + NOISE_SPREAD_DB;
      let peak = heard[0]!;
      let sum = 0;
      let squares = 0;
      for (let row = 0; row < WINDOW_ROWS; row++) {
        const level = heard[row]!;
        if (level > peak) peak = level;
        const kept = level > least ? level : least;
        heard[row] = kept;
        sum += kept;
        squares += kept * kept;
      }
      this.#heardSum[band] = sum;
      this.#heardSquares[band] = squares;
      this.#heardRange[band] = peak > least ? peak - least : 0;
    }
  }

  /** Variation of the microphone's levels around the mean of each band. */
  #heardPower(): number {
    let power = 0;
    for (let band = 0; band < BANDS; band++)
      power += this.#heardSquares[band]! - this.#heardSum[band]! ** 2 / WINDOW_ROWS;
    return power;
  }

  /** Correlation of the levels' variation over all bands; 0 when the window holds too little of the reply. */
  #correlation(shift: number, heardPower: number): number {
    let active = 0;
    let cross = 0;
    let sentPower = 0;
    for (let band = 0; band < BANDS; band++) {
      const heard = this.#heardWindow[band]!;
      const sent = this.#sentWindow[band]!;
      let peak = sent[shift]!;
      for (let row = 1; row < WINDOW_ROWS; row++) if (sent[row + shift]! > peak) peak = sent[row + shift]!;
      const least = peak - this.#heardRange[band]!;
      let sum = 0;
      let squares = 0;
      let products = 0;
      for (let row = 0; row < WINDOW_ROWS; row++) {
        const level = sent[row + shift]!;
        if (level > QUIET_DB) active++;
        const kept = level > least ? level : least;
        sum += kept;
        squares += kept * kept;
        products += heard[row]! * kept;
      }
      cross += products - (this.#heardSum[band]! * sum) / WINDOW_ROWS;
      sentPower += squares - (sum * sum) / WINDOW_ROWS;
    }
    if (active < MIN_ACTIVE_ROWS * BANDS * 0.5 || sentPower < LEAST_POWER) return 0;
    return cross / Math.sqrt(heardPower * sentPower);
  }

  #learn(to: number, delayRows: number): void {
    const known = this.#path;
    const gainDb = known?.gainDb ?? new Float32Array(BANDS);
    for (let band = 0; band < BANDS; band++) {
      let sum = 0;
      let weight = 0;
      for (let row = to - WINDOW_ROWS; row < to; row++) {
        const sent = this.#sent.at(row - delayRows, band);
        const heard = this.#heard.at(row, band);
        if (sent <= QUIET_DB || heard < this.#noise[band]! + NOISE_SPREAD_DB) continue;
        sum += heard - sent;
        weight++;
      }
      if (weight === 0) continue;
      gainDb[band] = known === undefined ? sum / weight : 0.8 * gainDb[band]! + 0.2 * (sum / weight);
    }
    this.#path = { delayRows, gainDb, measurements: (known?.measurements ?? 0) + 1 };
  }

  /** Whether the microphone is not louder than the expected echo in these rows. */
  #explains({ delayRows, gainDb, measurements }: EchoPath, from: number, to: number, slackRows: number): boolean {
    const marginDb = measurements < MEASUREMENTS_TO_TRUST ? FIRST_MARGIN_DB : MARGIN_DB;
    let louderBands = 0;
    let heardAll = 0;
    let expectedAll = 0;
    for (let band = 0; band < BANDS; band++) {
      let heard = 0;
      let expected = 0;
      for (let row = from; row < to; row++) {
        heard += power(this.#heard.at(row, band));
        let sent = this.#sent.at(row - delayRows - slackRows, band);
        for (let near = 1 - slackRows; near <= slackRows; near++) {
          const level = this.#sent.at(row - delayRows + near, band);
          if (level > sent) sent = level;
        }
        expected += power(sent + gainDb[band]!);
      }
      // Where the echo is faint, the noise of the room sets the limit.
      expected += power(Math.max(QUIET_DB, this.#noise[band]! + NOISE_SPREAD_DB)) * (to - from);
      if (10 * Math.log10(heard / expected) > marginDb) louderBands++;
      heardAll += heard;
      expectedAll += expected;
    }
    if (this.#path?.delayRows === delayRows) this.#watchGone(heardAll, expectedAll, to - from);
    return louderBands < VOICE_BANDS;
  }

  /** The echo ends when a caller puts on headphones. */
  #watchGone(heard: number, expected: number, rows: number): void {
    if (10 * Math.log10(expected / rows) <= QUIET_DB + GONE_DB) return;
    this.#goneRows = 10 * Math.log10(heard / expected) < -GONE_DB ? this.#goneRows + rows : 0;
    if (this.#goneRows < GONE_ROWS) return;
    this.#path = undefined;
    this.#goneRows = 0;
  }
}

const bandRows = (rows: number): readonly Float32Array[] => Array.from({ length: BANDS }, () => new Float32Array(rows));

function exceeds(levels: Float32Array, level: number): boolean {
  for (let band = 0; band < BANDS; band++) if (levels[band]! > level) return true;
  return false;
}

const power = (db: number): number => 10 ** (db / 10);
