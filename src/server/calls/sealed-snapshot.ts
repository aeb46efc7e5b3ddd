import type { SessionSnapshot } from "../../conversation/session/session-snapshot.ts";
import { seal, unseal, type Seal } from "../../cluster/sealed.ts";

const VERSION = 1;
/** A longer snapshot loses its oldest messages. */
export const MOST_SNAPSHOT_BYTES = 262_144;

/** A call in the store. */
export interface SharedCall {
  /** Its last connection. */
  readonly connectionId: string;
  readonly session: SessionSnapshot;
  /** The client got no answer over its last connection, so no speech either. */
  readonly nothingArrived?: boolean;
}

export const sealCall = (call: SharedCall, own: Seal): string => seal(encode(call), own);

/** Undefined for a value that no box of this version wrote. */
export function unsealCall(sealed: string, own: Seal): SharedCall | undefined {
  const plain = unseal(sealed, own);
  if (plain === undefined) return undefined;
  const { version, ...call } = JSON.parse(plain.toString()) as SharedCall & { readonly version: number };
  return version === VERSION ? call : undefined;
}

function encode(call: SharedCall): Buffer {
  for (let mostBytes = MOST_SNAPSHOT_BYTES / 2; ; mostBytes /= 4) {
    const history = newest(call.session.history, mostBytes);
    const text = Buffer.from(JSON.stringify({ version: VERSION, ...call, session: { ...call.session, history } }));
    if (text.length <= MOST_SNAPSHOT_BYTES || history.length === 0) return text;
  }
}

/** The newest entries whose words have at most this many bytes. One that is longer than all of it is left out. */
function newest(history: SessionSnapshot["history"], mostBytes: number): SessionSnapshot["history"] {
  let bytes = 0;
  const first = history.findLastIndex(({ text, note }) => (bytes += Buffer.byteLength(text) + note.length) > mostBytes);
  return history.slice(first + 1);
}
