/** Runs one job at a time, in order of arrival. A failed job does not stop the next one. */
export class Serial {
  #last: Promise<unknown> = Promise.resolve();

  run<Result>(job: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(job);
    this.#last = result.then(
      () => undefined,
      () => undefined,
    );
    return result;
  }
}
