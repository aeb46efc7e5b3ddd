/** Runs one job at a time, in the order asked for; a job that fails does not stop the next. */
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
