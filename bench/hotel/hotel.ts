type Arguments = Readonly<Record<string, unknown>>;

export interface Stay {
  readonly nights: number;
  readonly day: string;
  readonly people: number;
  readonly name: string;
}

/** Everything that a call can change. */
export interface HotelState {
  readonly stays: readonly Stay[];
  readonly taxis: readonly Arguments[];
  readonly wakes: readonly Arguments[];
  readonly deliveries: readonly Arguments[];
}

const NO_STAY = { error: "there is no stay under this name" };
const lower = (value: unknown) => (typeof value === "string" ? value.toLowerCase() : value);
const plain = (args: Arguments): Arguments =>
  Object.fromEntries(Object.entries(args).map(([key, value]) => [key, lower(value)]));

/** The hotel of one caller: the state behind the tools. */
export class Hotel {
  state: HotelState;
  /** Carried-out calls in order. */
  readonly calls: string[] = [];

  constructor(stays: readonly Stay[]) {
    this.state = { stays, taxis: [], wakes: [], deliveries: [] };
  }

  /** Carries out one call. Texts are kept in lower case. */
  run(tool: string, given: Arguments): unknown {
    const args = plain(given);
    this.calls.push(`${tool} ${JSON.stringify(args)}`);
    return this.#tools[tool]?.(args) ?? { error: "there is no such tool" };
  }

  readonly #tools: Readonly<Record<string, (args: Arguments) => unknown>> = {
    reserve_stay: (args) => {
      this.state = { ...this.state, stays: [...this.state.stays, args as unknown as Stay] };
      return { reserved: true };
    },
    move_stay: ({ name, ...changes }) => {
      if (!this.#has(name)) return NO_STAY;
      const stays = this.state.stays.map((stay) => (lower(stay.name) === name ? { ...stay, ...changes } : stay));
      this.state = { ...this.state, stays };
      return { ok: true };
    },
    cancel_stay: ({ name }) => {
      if (!this.#has(name)) return NO_STAY;
      this.state = { ...this.state, stays: this.state.stays.filter((stay) => lower(stay.name) !== name) };
      return { ok: true };
    },
    request_taxi: (args) => {
      const destination = String(args["destination"]).replace(/^the /u, "");
      this.state = { ...this.state, taxis: [...this.state.taxis, { ...args, destination }] };
      return { ok: true };
    },
    plan_wake_up: (args) => {
      this.state = { ...this.state, wakes: [...this.state.wakes, args] };
      return { ok: true };
    },
    deliver: (args) => {
      this.state = { ...this.state, deliveries: [...this.state.deliveries, args] };
      return { ok: true };
    },
    bill_of_room: ({ room }) => ({ room, bill: `${String(Number(room) - 172)} dollars` }),
  };

  #has(name: unknown): boolean {
    return this.state.stays.some((stay) => lower(stay.name) === name);
  }
}
