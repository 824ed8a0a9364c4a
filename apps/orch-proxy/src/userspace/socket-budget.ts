/** Limits how many sockets of one kind there are, of all routes together: the process has only so many descriptors. */
export class SocketBudget {
  readonly #max: number;
  #taken = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Takes a place for a socket; false if there is none left. */
  take(): boolean {
    if (this.#taken >= this.#max) return false;
    this.#taken++;
    return true;
  }

  /** Releases the place of a socket that is closed. */
  release(): void {
    this.#taken--;
  }
}

/** What all routes share. */
export interface SharedSockets {
  /** Connections over TCP; each has two sockets. */
  readonly connections: SocketBudget;
  /** Sockets for the packets of clients over UDP. */
  readonly exchanges: SocketBudget;
}
