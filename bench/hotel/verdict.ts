import { isDeepStrictEqual } from "node:util";
import type { Outcome } from "../callers/outcome.ts";
import { PRIVATE } from "./faults.ts";
import type { Hotel } from "./hotel.ts";
import type { Guest, HotelScript } from "./script.ts";

export interface GuestCall {
  readonly hotel: Hotel;
  readonly turns: Outcome["turns"];
  /** Undefined: the caller hung up. Empty: the assistant ended the call. */
  readonly transferredTo: string | undefined;
}

export interface Verdict {
  readonly isDone: boolean;
  /** Carried-out calls that change something and came more than once with the same arguments. */
  readonly twice: readonly string[];
  /** Turns without a reply. */
  readonly lost: readonly string[];
  /** Replies with a part that is not for ears. */
  readonly unfit: readonly string[];
}

/** JSON, code, names of tools and parameters, addresses. */
const NOT_FOR_EARS = /[{}[\]<>_`|\\]|"\s*:|https?:|\b(?:null|undefined|tool call|webhook|mcp)\b/iu;

export function judge(guest: Guest, { stays }: HotelScript, { hotel, turns, transferredTo }: GuestCall): Verdict {
  const { replied, transferred, ended, ...state } = guest.expect;
  const wanted = { stays, ...state };
  const isEndRight = transferredTo === undefined ? !ended && transferred === "" : transferred === transferredTo;
  const isReplyRight = replied === undefined || new RegExp(replied, "iu").test(turns.at(-1)?.replied ?? "");
  const changes = hotel.calls.filter((call) => !call.startsWith("bill_of_room"));
  return {
    isDone: isDeepStrictEqual(hotel.state, wanted) && isEndRight && isReplyRight,
    twice: changes.filter((call, place) => changes.indexOf(call) < place),
    lost: turns.filter((turn) => turn.replied === "").map(({ said }) => said),
    unfit: turns.map((turn) => turn.replied).filter((reply) => NOT_FOR_EARS.test(reply) || reply.includes(PRIVATE)),
  };
}
