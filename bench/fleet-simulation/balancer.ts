import type { Box } from "./box.ts";

/** How HAProxy chooses a server: `balance leastconn`, `balance random(2)`, `balance roundrobin`. */
export type Rule = "leastconn" | "random" | "roundrobin";

export const RULES: readonly Rule[] = ["leastconn", "random", "roundrobin"];

/** HAProxy's knowledge of one box. */
export class Route {
  readonly box: Box;
  /** Connections of this balancer to the box. */
  sessions = 0;
  /** Percent of the configured weight. 0: no new connections. */
  weight = 100;
  isUp = true;
  /** Results of checks in a row that contradict `isUp`. */
  contrary = 0;
  /** Position of the smooth round robin. */
  turn = 0;

  constructor(box: Box) {
    this.box = box;
  }

  get isUsable(): boolean {
    return this.isUp && this.weight > 0;
  }
}

/** One HAProxy process. Several of them share a fleet, and each knows only its own connections. */
export class Balancer {
  readonly routes: readonly Route[];
  readonly #rule: Rule;
  readonly #random: () => number;
  #first = 0;

  constructor(boxes: readonly Box[], rule: Rule, random: () => number) {
    this.routes = boxes.map((box) => new Route(box));
    this.#rule = rule;
    this.#random = random;
  }

  /** The route for a new connection. `avoided` failed just now and is chosen only when no other one is usable. */
  choose(avoided?: Route): Route | undefined {
    const chosen = this.#chooseOther(avoided);
    return chosen ?? (avoided?.isUsable === true ? avoided : undefined);
  }

  #chooseOther(avoided: Route | undefined): Route | undefined {
    switch (this.#rule) {
      case "leastconn":
        return this.#leastConnections(avoided);
      case "random":
        return this.#betterOfTwo(avoided);
      case "roundrobin":
        return this.#nextInTurn(avoided);
    }
  }

  /** Connections divided by weight, as HAProxy's sorting key. The route that waits longest wins among equals. */
  #leastConnections(avoided: Route | undefined): Route | undefined {
    const { routes } = this;
    this.#first = (this.#first + 1) % routes.length;
    let best: Route | undefined;
    let bestKey = Infinity;
    const from = this.#first;
    for (let step = 0; step < routes.length; step += 1) {
      const place = from + step;
      const route = routes[place < routes.length ? place : place - routes.length]!;
      const { sessions, weight } = route;
      if (!route.isUp || weight === 0 || route === avoided) continue;
      const key = sessions === 0 ? 0 : (sessions + 1) / weight;
      if (key >= bestKey) continue;
      best = route;
      bestKey = key;
      if (key === 0) break;
    }
    return best;
  }

  /** Draws two routes in proportion to their weights, and takes the one with fewer connections for its weight. */
  #betterOfTwo(avoided: Route | undefined): Route | undefined {
    const one = this.#draw(avoided);
    const other = this.#draw(avoided);
    if (one === undefined || other === undefined) return one;
    return other.sessions * one.weight < one.sessions * other.weight ? other : one;
  }

  #draw(avoided: Route | undefined): Route | undefined {
    const isCandidate = (route: Route) => route.isUsable && route !== avoided;
    for (let tries = 0; tries < 20; tries += 1) {
      const route = this.routes[Math.floor(this.#random() * this.routes.length)]!;
      if (isCandidate(route) && 100 * this.#random() < route.weight) return route;
    }
    // Few routes are usable.
    const candidates = this.routes.filter(isCandidate);
    let left = this.#random() * candidates.reduce((sum, { weight }) => sum + weight, 0);
    return candidates.find(({ weight }) => (left -= weight) < 0) ?? candidates.at(-1);
  }

  /** Smooth weighted round robin. */
  #nextInTurn(avoided: Route | undefined): Route | undefined {
    let total = 0;
    let best: Route | undefined;
    for (const route of this.routes) {
      if (!route.isUsable || route === avoided) continue;
      total += route.weight;
      route.turn += route.weight;
      if (best === undefined || route.turn > best.turn) best = route;
    }
    if (best !== undefined) best.turn -= total;
    return best;
  }
}
