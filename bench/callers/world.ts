import { isDeepStrictEqual } from "node:util";

type Arguments = Readonly<Record<string, unknown>>;

export interface Booking {
  readonly people: number;
  readonly day: string;
  readonly time: string;
  readonly name: string;
}

/** Everything that a call can change. Lights in percent; 0 is off. */
export interface WorldState {
  readonly lights: Readonly<Record<string, number>>;
  readonly degrees: Readonly<Record<string, number>>;
  readonly timers: readonly { readonly seconds: number; readonly label?: string }[];
  readonly reminders: readonly { readonly day?: string; readonly time: string; readonly text: string }[];
  readonly bookings: readonly Booking[];
  readonly transferred: string;
  readonly ended: boolean;
}

const START: WorldState = {
  lights: { kitchen: 0, "living room": 60, bedroom: 100, bathroom: 0, study: 0, hallway: 0 },
  degrees: { kitchen: 20, "living room": 21, bedroom: 18, bathroom: 22, study: 20, hallway: 17 },
  timers: [],
  reminders: [],
  bookings: [],
  transferred: "",
  ended: false,
};
const ROOMS = Object.keys(START.lights);
const text = (value: unknown) => (typeof value === "string" ? value : "");
const count = (value: unknown) => (typeof value === "number" ? value : 0);

const told = ({ seconds, label = "" }: WorldState["timers"][number]) => ({
  timer: label,
  rings_in: `${String(seconds / 60)} minutes`,
});

/** The house, the timers and the booking system that one caller's tools act on. */
export class World {
  state: WorldState;
  /** Carried-out calls, for the report. */
  readonly calls: string[] = [];

  /** `before`: what differs from the usual start. */
  constructor(before: Partial<WorldState>) {
    this.state = { ...START, ...before };
  }

  /** Carries out one call. The result is JSON. */
  run(tool: string, args: Arguments): unknown {
    this.calls.push(`${tool}(${JSON.stringify(args)})`);
    return this.#tools[tool]?.(args) ?? { error: "there is no such function" };
  }

  readonly #tools: Readonly<Record<string, (args: Arguments) => unknown>> = {
    set_light: ({ room, on, brightness }) => {
      const level = on === true ? count(brightness) || 100 : 0;
      this.state = { ...this.state, lights: { ...this.state.lights, [text(room)]: level } };
      return this.#rooms([text(room)]);
    },
    set_temperature: ({ room, degrees }) => {
      this.state = { ...this.state, degrees: { ...this.state.degrees, [text(room)]: count(degrees) } };
      return this.#rooms([text(room)]);
    },
    get_house: () => this.#rooms(ROOMS),
    set_timer: ({ hours, minutes, seconds, label }) => {
      const whole = count(hours) * 3600 + count(minutes) * 60 + count(seconds);
      const timer = { seconds: whole, ...(label === undefined ? {} : { label: text(label) }) };
      // As the built-in tool: a timer of the same name is set anew.
      const isOther = (one: { readonly label?: string }) => one.label === undefined || one.label !== timer.label;
      this.state = { ...this.state, timers: [...this.state.timers.filter(isOther), timer] };
      return told(timer);
    },
    set_reminder: ({ day, time, text: about }) => {
      const reminder = { ...(day === undefined ? {} : { day: text(day) }), time: text(time), text: text(about) };
      this.state = { ...this.state, reminders: [...this.state.reminders, reminder] };
      return { reminder: reminder.text, rings_at: `${reminder.day ?? "today"} ${reminder.time}` };
    },
    list_timers: () => this.state.timers.map(told),
    cancel_timer: ({ label }) => {
      const { timers, reminders } = this.state;
      const isKept = (name = "") => label !== undefined && !name.toLowerCase().includes(text(label).toLowerCase());
      const kept = {
        timers: timers.filter((timer) => isKept(timer.label)),
        reminders: reminders.filter((reminder) => isKept(reminder.text)),
      };
      const isFound = kept.timers.length < timers.length || kept.reminders.length < reminders.length;
      this.state = { ...this.state, ...kept };
      return isFound ? { cancelled: [label ?? ""] } : { error: "no such timer is set" };
    },
    book_table: ({ people, day, time, name }) => {
      const booking = { people: count(people), day: text(day), time: text(time), name: text(name) };
      this.state = { ...this.state, bookings: [...this.state.bookings, booking] };
      return { booked: true };
    },
    change_booking: ({ name, ...changes }) => {
      const place = this.#booking(name);
      if (place < 0) return { error: "there is no booking under this name" };
      const bookings = this.state.bookings.map((booking, at) => (at === place ? { ...booking, ...changes } : booking));
      this.state = { ...this.state, bookings };
      return { ok: true };
    },
    cancel_booking: ({ name }) => {
      const place = this.#booking(name);
      if (place < 0) return { error: "there is no booking under this name" };
      this.state = { ...this.state, bookings: this.state.bookings.filter((_, at) => at !== place) };
      return { ok: true };
    },
    opening_hours: ({ day }) =>
      text(day).toLowerCase() === "monday" ? { day, closed: true } : { day, open: "12:00", close: "22:30" },
    transfer: ({ target }) => {
      this.state = { ...this.state, transferred: text(target) };
      return { transfer: `to ${text(target)} after your next words` };
    },
    end_call: () => {
      this.state = { ...this.state, ended: true };
      return { call: "ends after your next words", say: "goodbye" };
    },
  };

  #rooms(names: readonly string[]): unknown {
    const { lights, degrees } = this.state;
    const state = (room: string) => ({
      light: lights[room] !== 0,
      brightness: lights[room] || 100,
      degrees: degrees[room],
    });
    return Object.fromEntries(names.map((room) => [room, state(room)]));
  }

  #booking(name: unknown): number {
    return this.state.bookings.findIndex((booking) => booking.name.toLowerCase() === text(name).toLowerCase());
  }
}

export type Expected = { readonly [Key in keyof WorldState]?: WorldState[Key] };

/** True when the state is the expected one and all else is as at the start. Names in any case. Labels and reminders may have more words. */
export function isAsExpected(before: WorldState, after: WorldState, expected: Expected): boolean {
  const wanted = {
    ...before,
    ...expected,
    lights: { ...before.lights, ...expected.lights },
    degrees: { ...before.degrees, ...expected.degrees },
  };
  const named: WorldState = {
    ...after,
    timers: after.timers.map(({ seconds, label }, at) => ({
      seconds,
      ...(label === undefined ? {} : { label: asWanted(label, wanted.timers[at]?.label) }),
    })),
    reminders: after.reminders.map(({ day, text: about, ...one }, at) => ({
      ...one,
      ...(day === undefined || (day === "today" && wanted.reminders[at]?.day === undefined) ? {} : { day }),
      text: asWanted(about, wanted.reminders[at]?.text),
    })),
  };
  const plain = (state: WorldState): unknown => JSON.parse(JSON.stringify(state).toLowerCase());
  return isDeepStrictEqual(plain(named), plain(wanted));
}

/** The wanted text, if the other one has all of its words. "My medicine" is "your medicine" to the caller. */
function asWanted(own: string, wanted: string | undefined): string {
  const words = (each: string): readonly string[] =>
    each
      .toLowerCase()
      .replaceAll(/\byour\b/gu, "my")
      .match(/[\p{L}\d]+/gu) ?? [];
  const said = words(own);
  return wanted !== undefined && words(wanted).every((word) => said.includes(word)) ? wanted : own;
}
