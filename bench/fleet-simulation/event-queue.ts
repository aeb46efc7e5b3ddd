export interface Timed {
  readonly atSeconds: number;
}

/** Events by their time: a binary heap. Events of one time come in no particular order. */
export class EventQueue<Event extends Timed> {
  readonly #heap: Event[] = [];

  get next(): Event | undefined {
    return this.#heap[0];
  }

  push(event: Event): void {
    let place = this.#heap.length;
    for (;;) {
      const parent = (place - 1) >> 1;
      const above = this.#heap[parent];
      if (above === undefined || above.atSeconds <= event.atSeconds) break;
      this.#heap[place] = above;
      place = parent;
    }
    this.#heap[place] = event;
  }

  pop(): Event | undefined {
    const [first] = this.#heap;
    const last = this.#heap.pop();
    if (last !== undefined && this.#heap.length > 0) this.#sink(last);
    return first;
  }

  /** Moves an event down from the top to its place. */
  #sink(event: Event): void {
    let place = 0;
    for (;;) {
      const left = this.#heap[2 * place + 1];
      const right = this.#heap[2 * place + 2];
      const isLeft = right === undefined || (left !== undefined && left.atSeconds <= right.atSeconds);
      const smaller = isLeft ? left : right;
      if (smaller === undefined || event.atSeconds <= smaller.atSeconds) break;
      this.#heap[place] = smaller;
      place = 2 * place + (isLeft ? 1 : 2);
    }
    this.#heap[place] = event;
  }
}
