import type { Identity } from "../../auth/authenticate.ts";
import type { FleetPlaces, PlaceLease } from "../../cluster/fleet-places.ts";
import type { Limits } from "../../config/server-config-schema.ts";
import type { FatalErrorCode } from "../../doors/fatal-errors.ts";
import type { Clock } from "../../shared/clock.ts";
import { OakError } from "../../shared/errors.ts";
import { KeyQuotas, type KeyShare } from "./key-quotas.ts";

/** The id and the place of one connection, from its admission to its end. */
export interface Place {
  readonly connectionId: string;
  readonly share: KeyShare;
  /** Takes the id and the key's place over all boxes. @throws OakError `CONNECTION_ID_IN_USE` or `KEY_CONNECTIONS_EXCEEDED`. */
  confirm(): Promise<void>;
  release(): void;
  /** Frees the id, and leaves the key's share to the place of the next connection. */
  leave(): void;
}

export interface PlacesOptions {
  readonly limits: Limits;
  /** Absent: this box alone. */
  readonly fleet?: FleetPlaces | undefined;
  readonly clock: Clock;
}

/** The places of this box. Each belongs to a connection, or to one that the other boxes are asked about. */
export class Places {
  readonly #most: number;
  readonly #fleet: FleetPlaces | undefined;
  readonly #quotas: KeyQuotas;
  readonly #ids = new Set<string>();

  constructor({ limits, fleet, clock }: PlacesOptions) {
    this.#most = limits.max_connections;
    this.#fleet = fleet;
    this.#quotas = new KeyQuotas(limits, clock);
  }

  get taken(): number {
    return this.#ids.size;
  }

  /**
   * Synchronous, so that two sockets cannot take the last place or the same id.
   * @param replaces A connection to another box, whose call goes on here.
   * @throws OakError with a fatal code.
   */
  take(connectionId: string, identity: Identity, replaces?: string): Place {
    this.#refuseKnown(connectionId);
    if (this.#ids.size >= this.#most) refuse("SERVER_BUSY", "All places are taken; try again later.");
    return this.#place(connectionId, this.#quotas.join(identity), replaces);
  }

  /** The place of a connection that continues the call of an earlier one, which then leaves. @throws OakError `CONNECTION_ID_IN_USE`. */
  continue(connectionId: string, { share, connectionId: replaces }: Place): Place {
    this.#refuseKnown(connectionId);
    return this.#place(connectionId, share, replaces);
  }

  #place(connectionId: string, share: KeyShare, replaces?: string): Place {
    this.#ids.add(connectionId);
    let lease: PlaceLease | undefined;
    const leave = () => {
      this.#ids.delete(connectionId);
      lease?.release();
    };
    return {
      connectionId,
      share,
      confirm: async () => {
        const { key, mostConnections: mostOfKey } = share;
        const earlier = replaces === undefined ? {} : { replaces };
        lease = await this.#fleet?.claim({ connectionId, key, mostOfKey, ...earlier });
      },
      release: () => {
        leave();
        share.release();
      },
      leave,
    };
  }

  #refuseKnown(connectionId: string): void {
    if (!this.#ids.has(connectionId)) return;
    refuse(
      "CONNECTION_ID_IN_USE",
      "A connection with this connection_id is open; use a fresh UUID for each connection.",
    );
  }

  close(): void {
    this.#quotas.close();
  }
}

function refuse(code: FatalErrorCode, message: string): never {
  throw new OakError(message, { code });
}
