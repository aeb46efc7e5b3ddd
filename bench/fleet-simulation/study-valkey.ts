import { MEAN_CALL_SECONDS } from "./calls.ts";
import type { ValkeyRates } from "./measure-valkey.ts";
import { percent, type Study } from "./study.ts";

/** A third of a lease (src/cluster/fleet-places.ts). */
const RENEW_EVERY_SECONDS = 5;
/** Measured by `npm run bench:fleet` in calls of 40 s (docs/measurements/fleet.md). */
const SNAPSHOT_EVERY_SECONDS = 1;
const LEASES_OF_A_RENEWAL = 8;

/** Measured as well. */
export const SNAPSHOT_BYTES = 3_000;

/** Commands a second, by open calls. */
function commandsOf(calls: number) {
  const perSecond = calls / MEAN_CALL_SECONDS;
  return {
    claim: perSecond,
    release: perSecond,
    renew: calls / LEASES_OF_A_RENEWAL / RENEW_EVERY_SECONDS,
    snapshot: calls / SNAPSHOT_EVERY_SECONDS,
  };
}

/** Share of one Valkey process that the calls take. */
export function valkeyShare(calls: number, rates: ValkeyRates): number {
  const commands = commandsOf(calls);
  return (
    commands.claim / rates.claim +
    commands.release / rates.release +
    commands.renew / rates.renew +
    commands.snapshot / rates.snapshot
  );
}

/** Where one Valkey server ends. `source`: where the rates were measured. */
export function valkeyLimits(rates: ValkeyRates, source: string): Study {
  const data = [100, 1_000, 5_000, 10_000, 50_000].map((calls) => ({
    calls,
    ...commandsOf(calls),
    share: valkeyShare(calls, rates),
    megabits: (commandsOf(calls).snapshot * SNAPSHOT_BYTES * 8) / 1e6,
  }));
  const most = 0.5 / valkeyShare(1, rates);
  const number = (value: number) => Math.round(value).toLocaleString("en");
  return {
    name: "valkey",
    title: "Where one Valkey server ends",
    text: `Ids and quotas: a claim and a release for each call, a renewal of ${String(LEASES_OF_A_RENEWAL)} leases every ${String(RENEW_EVERY_SECONDS)} s. Resume, as measured in real calls: a snapshot of ${String(SNAPSHOT_BYTES)} bytes for each open call, ${String(1 / SNAPSHOT_EVERY_SECONDS)} a second. Commands in a second of a process (${source}): claims ${number(rates.claim)}, renewals ${number(rates.renew)}, releases ${number(rates.release)}, snapshots ${number(rates.snapshot)}. ${number(most)} open calls take half of its time.`,
    table: [
      {
        name: "open calls",
        cells: ["claims, releases", "renewals", "snapshots", "share of a process", "Mbit/s of snapshots"],
      },
      ...data.map(({ calls, claim, release, renew, snapshot, share, megabits }) => ({
        name: number(calls),
        cells: [number(claim + release), number(renew), number(snapshot), percent(share), number(megabits)],
      })),
    ],
    data: { rates, source, mostCalls: most, calls: data },
  };
}
