import { BANDS, BandLevels } from "../../audio/band-levels.ts";
import { LevelRows } from "./level-rows.ts";

const HOP_MS = 10;
const SAMPLES_PER_MS = 16;
/** Longest way from "sent" to "heard in the microphone", in rows: network, playback buffer, room, network. */
const MAX_DELAY_ROWS = 70;
/** "Sent" may be taken for later than it was, when the first audio of the microphone was slow to come. */
const MIN_DELAY_ROWS = -25;
/** Rows that are compared at a time: 0.6 s. */
const WINDOW_ROWS = 60;
/** Of a row's power a room keeps this share for the next one: of a small room, whose echo is like that of no room and of a bare one. */
const ROOM = 0.55;
/** Noise in a row of 16 ms is this much over the quietest row. */
const NOISE_SPREAD_DB = 10;
/** For each row: 5 dB a second. */
const NOISE_RISE_DB = 0.05;
/** A row of the reply below this says nothing, dB. */
const QUIET_DB = -60;
/** Of the rows compared at least this many must hold speech of the reply. */
const MIN_ACTIVE_ROWS = 25;
/** Levels that move less than this (standard deviation 4 dB) say nothing; summed over a window of all bands. */
const LEAST_POWER = 4 ** 2 * WINDOW_ROWS * BANDS;
/** Correlation of the levels' movements at which the microphone is taken to hear the reply. */
const MATCH = 0.85;
/**
 * Rows between two looks, and matches one after the other, at the same delay, before it is believed: two voices that begin
 * to speak at the same time match for a moment (up to 0.95 for 0.16 s was seen), an echo goes on matching.
 */
const MATCH_STEP_ROWS = 9;
const MATCHES_NEEDED = 4;
/** From here on, while it goes on matching, what is heard is no evidence of a caller. */
const MATCHES_TO_DOUBT = 2;
/** A band is the echo up to this much over what the echo should be, dB; more while that is known from a few looks only. */
const MARGIN_DB = 6;
const FIRST_MARGIN_DB = 10;
const LOOKS_TO_TRUST = 8;
/** A voice over the echo shows in at least this many bands. */
const VOICE_BANDS = 2;
/** Clocks and rounding: the delay is right to within this ... */
const SLACK_ROWS = 2;
/** ... but for a while after a gap, to within this. */
const RESTART_SLACK_ROWS = 30;
const RESTART_ROWS = 120;
/** The echo has gone when the microphone stays this far below it, dB, for this many rows. */
const GONE_DB = 10;
const GONE_ROWS = 40;

interface EchoPath {
  readonly delayRows: number;
  /** How often it was measured. */
  readonly looks: number;
  /** Microphone over reply, for each band. */
  readonly gainDb: Float32Array;
}

/**
 * Tells the reply's echo from the caller's voice, for clients that do not cancel it. The levels of eight bands in the
 * microphone are correlated with those of what was sent, over all delays; once they match, delay and loss are known, and
 * a frame no louder than the echo must be is the echo. A voice over the echo is louder in its frames.
 */
export class EchoGuard {
  /** Row `n` is the 10 ms from `n * 10` ms of the session on. */
  readonly #sent = new LevelRows();
  readonly #heard = new LevelRows();
  readonly #sentLevels = new BandLevels();
  /** Power of what was sent, by band, with what the room keeps of it. */
  readonly #lingering = new Float64Array(BANDS);
  readonly #heardLevels = new BandLevels();
  /** What is compared, used again for each look: one array a band. */
  readonly #heardWindow = bandRows(WINDOW_ROWS);
  readonly #sentWindow = bandRows(WINDOW_ROWS + MAX_DELAY_ROWS - MIN_DELAY_ROWS);
  /** Of the microphone's window, by band: sums of its levels and their squares, and how far its peak is over the noise. */
  readonly #heardSum = new Float64Array(BANDS);
  readonly #heardSquares = new Float64Array(BANDS);
  readonly #heardRange = new Float64Array(BANDS);
  /** The quietest level of each band in the microphone, rising slowly. */
  readonly #noise = new Float32Array(BANDS);
  #lastActiveRow = -Infinity;
  #path: EchoPath | undefined;
  #candidate = { delayRows: 0, matches: 0 };
  #matchedAtRow = 0;
  /** Where playback began again after a gap. */
  #restartRow = -Infinity;
  #goneRows = 0;
  #rulesOutEcho = false;

  readonly #onHeardRow = (levels: Float32Array): void => {
    this.#heard.push(levels);
    for (let band = 0; band < BANDS; band++)
      this.#noise[band] = Math.min(levels[band]!, this.#noise[band]! + NOISE_RISE_DB);
  };

  /** True when the microphone may be hearing the reply, though that is not sure yet. */
  get suspectsEcho(): boolean {
    return this.#path !== undefined || this.#candidate.matches > 0;
  }

  /** True when the microphone is known to hear the reply. */
  get hearsEcho(): boolean {
    return this.#path !== undefined;
  }

  /** True when the microphone was silent while it should have heard the reply. */
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

  /** What was sent, as a room gives it back: each sound dies away. */
  #linger(levels: Float32Array): void {
    for (let band = 0; band < BANDS; band++) {
      this.#lingering[band] = power(levels[band]!) + ROOM * this.#lingering[band]!;
      levels[band] = 10 * Math.log10(this.#lingering[band]!);
    }
  }

  /** The next samples of the microphone (16 kHz, without gaps). True when they hold nothing but the reply's echo. */
  heard(samples: Float32Array): boolean {
    const from = this.#heard.end;
    this.#heardLevels.push(samples, this.#onHeardRow);
    const to = this.#heard.end;
    if (from - this.#lastActiveRow > MAX_DELAY_ROWS) {
      this.#candidate.matches = 0; // no look comes that could take the suspicion back
      return false;
    }
    if (to - this.#matchedAtRow >= MATCH_STEP_ROWS) {
      this.#matchedAtRow = to;
      this.#match(to);
    }
    const path = this.#path;
    const { delayRows, matches } = this.#candidate;
    if (path === undefined) return matches >= MATCHES_TO_DOUBT;
    // After a gap a client may play earlier or later than before, just as loud: a match soon shows when.
    if (matches > 0 && this.#explains({ ...path, delayRows }, from, to, SLACK_ROWS)) return true;
    const unsettled = matches === 0 && from - this.#restartRow < RESTART_ROWS;
    return this.#explains(path, from, to, unsettled ? RESTART_SLACK_ROWS : SLACK_ROWS);
  }

  /** Samples of the microphone were left out: the next ones begin at `atMs` of session time. */
  skipTo(atMs: number): void {
    this.#heard.moveTo(Math.max(this.#heard.end, Math.round(atMs / HOP_MS)));
  }

  #match(to: number): void {
    this.#heard.copyTo(this.#heardWindow, to - WINDOW_ROWS);
    this.#sent.copyTo(this.#sentWindow, to - WINDOW_ROWS - MAX_DELAY_ROWS);
    this.#cutNoise();
    const heardPower = this.#heardPower();
    // A microphone that hears nothing, as it mostly does while the box speaks, matches nothing at any delay.
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

  /** True when the window before `to` must hold the reply's echo, however late it comes. */
  #wasAudible(to: number): boolean {
    const from = Math.max(0, this.#restartRow) + MAX_DELAY_ROWS;
    const until = this.#lastActiveRow + MIN_DELAY_ROWS;
    return from <= to - MIN_ACTIVE_ROWS && until >= to - WINDOW_ROWS + MIN_ACTIVE_ROWS;
  }

  /**
   * What the room's noise hides of the echo is left out on both sides: the microphone's levels are cut at the noise, the
   * reply's at as far below their peak as that lies below the microphone's.
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

  /** Of the microphone's levels, around the mean of each band. */
  #heardPower(): number {
    let power = 0;
    for (let band = 0; band < BANDS; band++)
      power += this.#heardSquares[band]! - this.#heardSum[band]! ** 2 / WINDOW_ROWS;
    return power;
  }

  /** Of the levels' movements around their means, all bands together; 0 when too little of the reply falls in the window. */
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
    this.#path = { delayRows, gainDb, looks: (known?.looks ?? 0) + 1 };
  }

  /** Is what the microphone heard in these rows no louder than the echo must be? */
  #explains({ delayRows, gainDb, looks }: EchoPath, from: number, to: number, slackRows: number): boolean {
    const marginDb = looks < LOOKS_TO_TRUST ? FIRST_MARGIN_DB : MARGIN_DB;
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
      // Where the echo is faint, the room's noise sets what counts as louder.
      expected += power(Math.max(QUIET_DB, this.#noise[band]! + NOISE_SPREAD_DB)) * (to - from);
      if (10 * Math.log10(heard / expected) > marginDb) louderBands++;
      heardAll += heard;
      expectedAll += expected;
    }
    if (this.#path?.delayRows === delayRows) this.#watchGone(heardAll, expectedAll, to - from);
    return louderBands < VOICE_BANDS;
  }

  /** A caller who puts on headphones has no echo any more. */
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
