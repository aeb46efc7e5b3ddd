/** Reports a failure that repeats once, until the work succeeds again or fails in another way. */
export class FailureReporter {
  readonly #report: (error: unknown) => void;
  #reported: string | undefined;

  constructor(report: (error: unknown) => void) {
    this.#report = report;
  }

  succeeded(): void {
    this.#reported = undefined;
  }

  /** @param kind Failures of one kind are reported once. */
  failed(error: unknown, kind = ""): void {
    if (this.#reported === kind) return;
    this.#reported = kind;
    this.#report(error);
  }
}
