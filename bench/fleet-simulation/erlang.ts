/** Erlang's formula B: the share of calls that find all places taken. `load`: mean number of calls that would be open. */
export function erlangB(load: number, places: number): number {
  let busy = 1;
  for (let place = 1; place <= places; place += 1) busy = (load * busy) / (place + load * busy);
  return busy;
}

/** The largest load that keeps the busy share. */
export function loadFor(busyShare: number, places: number): number {
  return bisect(0, 2 * places, 50, (load) => erlangB(load, places) <= busyShare);
}

/** The largest value in the range for which `isGood` holds. `isGood` must hold below it and fail above it. */
export function bisect(low: number, high: number, rounds: number, isGood: (value: number) => boolean): number {
  let [good, bad] = [low, high];
  for (let round = 0; round < rounds; round += 1) {
    const middle = (good + bad) / 2;
    if (isGood(middle)) good = middle;
    else bad = middle;
  }
  return good;
}
