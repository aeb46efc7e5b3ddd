/** Close code of a client that will come back for its conversation. */
export const COMES_BACK = 4000;

/** Where a lost conversation goes on: the token of its last connection, and how much speech that connection brought. */
export class ResumePoint {
  #token: string | undefined;
  #pieces = 0;

  /** A connection was accepted. `token` undefined: its conversation cannot be resumed. */
  begin(token: string | undefined): void {
    this.#token = token;
    this.#pieces = 0;
  }

  /** A `tts_chunk` has arrived. */
  heard(): void {
    this.#pieces += 1;
  }

  /** The address with what the server needs to go on with the conversation. */
  addTo(address: string): string {
    if (this.#token === undefined) return address;
    const query = new URLSearchParams({ resume_token: this.#token, resume_received: String(this.#pieces) });
    return `${address}${address.includes("?") ? "&" : "?"}${query.toString()}`;
  }
}
