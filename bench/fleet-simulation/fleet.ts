import { backOffMs, DEFAULT_BACK_OFF } from "../../src/shared/back-off.ts";
import { Balancer, type Route, type Rule } from "./balancer.ts";
import { Box, type OpenCall } from "./box.ts";
import { EventQueue, type Timed } from "./event-queue.ts";
import { check, type HealthChecks } from "./health.ts";

export interface FleetOptions {
  readonly boxes: number;
  readonly placesPerBox: number;
  readonly balancers: number;
  readonly rule: Rule;
  /** A full box answers 503 before the upgrade, so that the balancer tries another one. Otherwise the caller gets SERVER_BUSY. */
  readonly refusesBeforeUpgrade: boolean;
  /** HAProxy's `retries`, with `option redispatch 1`. */
  readonly retries: number;
  readonly health: HealthChecks;
  /** A call whose connection is lost continues elsewhere within this time. 0: it is lost. */
  readonly resumeSeconds: number;
  /** HAProxy's `timeout connect`. */
  readonly connectTimeoutSeconds: number;
  readonly callSeconds: (random: () => number) => number;
  readonly random: () => number;
}

export interface Counts {
  /** Calls that began, also those that found all places taken. */
  offered: number;
  busy: number;
  /** Connections that a box refused. */
  refusals: number;
  /** Calls that continued on another box. */
  resumed: number;
  lost: number;
}

const noCounts = (): Counts => ({ offered: 0, busy: 0, refusals: 0, resumed: 0, lost: 0 });

interface Call extends OpenCall {
  route: Route | undefined;
  endsAt: number;
  lostAt: number;
  attempts: number;
}

interface CallEvent extends Timed {
  readonly call: Call;
  readonly kind: "end" | "reconnect";
}

/** A fleet behind its balancers in virtual time. */
export class Fleet {
  readonly boxes: Box[];
  counts: Counts = noCounts();
  /** Seconds without a connection, of each call that continued. */
  gaps: number[] = [];
  /** Seconds of conversation. */
  callSeconds = 0;
  nowSeconds = 0;
  readonly #options: FleetOptions;
  readonly #balancers: readonly Balancer[];
  readonly #events = new EventQueue<CallEvent>();
  #open = 0;
  /** The next check: its time and its box. */
  #checkAt = 0;
  #checked = 0;

  constructor(options: FleetOptions, state: (box: number) => Box["state"] = () => "serving") {
    this.#options = options;
    this.boxes = Array.from({ length: options.boxes }, (_, at) => new Box(options.placesPerBox, state(at)));
    this.#balancers = Array.from(
      { length: options.balancers },
      () => new Balancer(this.boxes, options.rule, options.random),
    );
    for (const { routes } of this.#balancers) for (const route of routes) route.isUp = route.box.isReady;
  }

  get open(): number {
    return this.#open;
  }

  /** Sets all counts to 0. */
  startCounting(): void {
    this.counts = noCounts();
    this.gaps = [];
    this.callSeconds = 0;
  }

  /** Calls arrive at random (Poisson) until a time. `rate`: calls per second, at most `mostRate`. */
  run(untilSeconds: number, mostRate: number, rate: (atSeconds: number) => number = () => mostRate): void {
    const { random } = this.#options;
    const pause = () => -Math.log(1 - random()) / mostRate;
    let arrival = this.nowSeconds + pause();
    for (;;) {
      const event = this.#events.next?.atSeconds ?? Infinity;
      const next = Math.min(event, arrival, this.#checkAt);
      if (next > untilSeconds) break;
      this.#passTo(next);
      if (next === this.#checkAt) this.#checkNext();
      else if (next === event) this.#happen(this.#events.pop()!);
      else {
        if (random() * mostRate < rate(next)) this.#arrive();
        arrival = next + pause();
      }
    }
    this.#passTo(untilSeconds);
  }

  /** The connections of a box break. Their callers notice `noticeSeconds` later and connect again, as the typed client does. */
  breakCalls(box: Box, noticeSeconds: () => number): void {
    for (const open of box.calls) {
      const call = open as Call;
      this.#leave(call);
      call.lostAt = this.nowSeconds;
      call.attempts = 0;
      call.endsAt -= this.nowSeconds;
      if (this.#options.resumeSeconds === 0) this.counts.lost += 1;
      else this.#reconnectAfter(call, noticeSeconds());
    }
  }

  #passTo(seconds: number): void {
    this.callSeconds += this.#open * (seconds - this.nowSeconds);
    this.nowSeconds = seconds;
  }

  /** Checks one box after the other, evenly over the interval, for ever. */
  #checkNext(): void {
    const { boxes, health } = this.#options;
    for (const { routes } of this.#balancers) check(routes[this.#checked]!, health);
    this.#checked = (this.#checked + 1) % boxes;
    this.#checkAt += health.everySeconds / boxes;
  }

  #arrive(): void {
    this.counts.offered += 1;
    const length = this.#options.callSeconds(this.#options.random);
    const call: Call = { box: undefined, route: undefined, endsAt: length, lostAt: NaN, attempts: 0 };
    if (!this.#connect(call).isOpen) this.counts.busy += 1;
  }

  /** `call.endsAt` is the remaining length until the call is open. */
  #connect(call: Call): { readonly isOpen: boolean; readonly seconds: number } {
    const { random, retries, refusesBeforeUpgrade, connectTimeoutSeconds } = this.#options;
    const balancer = this.#balancers[Math.floor(random() * this.#balancers.length)]!;
    let avoided: Route | undefined;
    let seconds = 0;
    for (let attempt = 0; attempt <= retries; attempt += 1) {
      const route = balancer.choose(avoided);
      if (route === undefined) break;
      if (route.box.isReady) {
        this.#enter(call, route);
        return { isOpen: true, seconds };
      }
      avoided = route;
      if (route.box.state === "cut") seconds += connectTimeoutSeconds;
      if (!route.box.isReachable) continue;
      this.counts.refusals += 1;
      if (!refusesBeforeUpgrade) break;
    }
    return { isOpen: false, seconds };
  }

  #enter(call: Call, route: Route): void {
    call.box = route.box;
    call.route = route;
    call.endsAt += this.nowSeconds;
    route.box.calls.add(call);
    route.sessions += 1;
    this.#open += 1;
    this.#events.push({ atSeconds: call.endsAt, call, kind: "end" });
  }

  #leave(call: Call): void {
    call.box?.calls.delete(call);
    if (call.route !== undefined) call.route.sessions -= 1;
    call.box = undefined;
    call.route = undefined;
    this.#open -= 1;
  }

  #happen({ call, kind, atSeconds }: CallEvent): void {
    if (kind === "reconnect") this.#reconnect(call);
    // The end of a call that moved is another event.
    else if (call.box !== undefined && call.endsAt === atSeconds) this.#leave(call);
  }

  #reconnect(call: Call): void {
    const { isOpen, seconds } = this.#connect(call);
    if (!isOpen) return this.#reconnectAfter(call, seconds);
    this.counts.resumed += 1;
    this.gaps.push(this.nowSeconds + seconds - call.lostAt);
  }

  #reconnectAfter(call: Call, seconds: number): void {
    const attempt = call.attempts++;
    const wait = backOffMs(DEFAULT_BACK_OFF, attempt, this.#options.random()) / 1000;
    const atSeconds = this.nowSeconds + seconds + wait;
    const isTooLate = atSeconds - call.lostAt > this.#options.resumeSeconds || attempt >= DEFAULT_BACK_OFF.attempts;
    if (isTooLate) this.counts.lost += 1;
    else this.#events.push({ atSeconds, call, kind: "reconnect" });
  }
}
