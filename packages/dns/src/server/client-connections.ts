/** A connection as far as it matters for which one is closed first. */
export interface Connection {
  readonly socket: { destroy(): unknown };
  /** When its last question arrived or was answered, on the monotonic clock. */
  readonly activeAtMs: number;
}

/**
 * The open connections by client. When all places are taken, a further connection takes that of the client with most: so many
 * clients with few connections each cannot be kept out by some with many.
 */
export class ClientConnections {
  readonly #maxConnections: number;
  readonly #maxPerClient: number;
  readonly #byClient = new Map<string, Set<Connection>>();
  #count = 0;

  constructor(limits: { readonly maxConnections: number; readonly maxPerClient: number }) {
    this.#maxConnections = limits.maxConnections;
    this.#maxPerClient = limits.maxPerClient;
  }

  /** Whether a client may have another connection. */
  hasPlaceFor(client: string): boolean {
    return this.#maxConnections > 0 && (this.#byClient.get(client)?.size ?? 0) < this.#maxPerClient;
  }

  /**
   * Adds a connection of a client that has a place. If there are too many now, the idlest connection of the client with most is
   * closed, but not the added one; of clients with as many as each other, the idlest of all.
   *
   * @returns whether another connection was closed
   */
  add(client: string, connection: Connection): boolean {
    const own = this.#byClient.get(client) ?? new Set<Connection>();
    this.#byClient.set(client, own.add(connection));
    this.#count++;
    if (this.#count <= this.#maxConnections) return false;
    const victim = this.#victim(connection);
    if (victim === undefined) return false;
    // The place is free at once; that the socket closes is told later.
    this.delete(victim.client, victim.connection);
    victim.connection.socket.destroy();
    return true;
  }

  /** Removes a connection, if it is there. */
  delete(client: string, connection: Connection): void {
    const own = this.#byClient.get(client);
    if (own?.delete(connection) !== true) return;
    this.#count--;
    if (own.size === 0) this.#byClient.delete(client);
  }

  /** Closes all. */
  closeAll(): void {
    for (const own of this.#byClient.values()) for (const { socket } of own) socket.destroy();
  }

  #victim(added: Connection): { readonly client: string; readonly connection: Connection } | undefined {
    const most = Math.max(...[...this.#byClient.values()].map(({ size }) => size));
    let victim: { readonly client: string; readonly connection: Connection } | undefined;
    for (const [client, own] of this.#byClient) {
      if (own.size < most) continue;
      for (const connection of own) {
        if (connection === added) continue;
        if (victim === undefined || connection.activeAtMs < victim.connection.activeAtMs)
          victim = { client, connection };
      }
    }
    return victim;
  }
}
