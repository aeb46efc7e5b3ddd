import type { Route } from "./balancer.ts";

export interface HealthChecks {
  readonly everySeconds: number;
  /** Failed checks in a row after which a box counts as down, and good ones after which it counts as up again. */
  readonly fall: number;
  readonly rise: number;
  /**
   * `serving`: fails while the box starts or drains. `ready`: `/readyz`, which also fails while all places are taken. `weight`: as
   * `serving`, and the server's agent, whose weight HAProxy applies at once.
   */
  readonly learns: "serving" | "ready" | "weight";
}

/** One check of a box by one balancer. */
export function check(route: Route, { fall, rise, learns }: HealthChecks): void {
  const { box } = route;
  if (learns === "weight" && box.isReachable) route.weight = box.weight;
  const isGood = learns === "ready" ? box.isReady : box.state === "serving";
  route.contrary = isGood === route.isUp ? 0 : route.contrary + 1;
  if (route.contrary < (route.isUp ? fall : rise)) return;
  route.isUp = isGood;
  route.contrary = 0;
}
