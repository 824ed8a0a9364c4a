/** Questions that a client has under way, up to which it may use the places that are kept for clients with few. */
const FEW = 5;

/** Limits how many questions of one client wait for upstream servers, so that one client does not take all places. */
export class ClientLimits {
  readonly #maxPerClient: number;
  readonly #waiting = new Map<string, number>();

  constructor(maxPerClient: number) {
    this.#maxPerClient = maxPerClient;
  }

  /** Takes a place; false if the client has none left. */
  enter(client: string): boolean {
    const waiting = this.#waiting.get(client) ?? 0;
    if (waiting >= this.#maxPerClient) return false;
    this.#waiting.set(client, waiting + 1);
    return true;
  }

  /** Whether a client that has entered may use the places that are kept for clients with few questions. */
  hasFew(client: string): boolean {
    return (this.#waiting.get(client) ?? 0) <= FEW;
  }

  /** Gives a place back. */
  leave(client: string): void {
    const waiting = this.#waiting.get(client) ?? 0;
    if (waiting <= 1) this.#waiting.delete(client);
    else this.#waiting.set(client, waiting - 1);
  }
}
