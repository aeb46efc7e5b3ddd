interface Terminal {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const BAR_WIDTH = 24;
/** Without a terminal, one line is printed for each step. */
const STEP_PERCENT = 25;

/** Progress of downloads: one bar each on a terminal, a few lines elsewhere. */
export class ProgressLines {
  readonly #terminal: Terminal;
  readonly #percents = new Map<string, number>();
  #drawn = 0;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  update(name: string, bytes: number, total: number): void {
    const percent = Math.min(100, Math.floor((100 * bytes) / Math.max(1, total)));
    const before = this.#percents.get(name);
    if (before === percent) return;
    this.#percents.set(name, percent);
    if (this.#terminal.isTTY === true) this.#draw();
    else if (before === undefined || Math.floor(percent / STEP_PERCENT) > Math.floor(before / STEP_PERCENT))
      this.#terminal.write(`${name}: ${String(percent)} %\n`);
  }

  end(): void {
    this.#percents.clear();
    this.#drawn = 0;
  }

  #draw(): void {
    const up = this.#drawn > 0 ? `\u001B[${String(this.#drawn)}A` : "";
    const lines = [...this.#percents].map(([name, percent]) => {
      const full = Math.round((percent / 100) * BAR_WIDTH);
      return `\u001B[2K${"#".repeat(full)}${".".repeat(BAR_WIDTH - full)} ${String(percent).padStart(3)} % ${name}\n`;
    });
    this.#drawn = lines.length;
    this.#terminal.write(up + lines.join(""));
  }
}
