import { Session } from "node:inspector/promises";

/** Work on the engine's own inspector: `post` sends it a command, `session` emits its events. */
export type Inspection<T> = (session: Session) => Promise<T>;

/** Thrown when a profile is being taken already: the engine takes one at a time. */
export class ProfilerBusyError extends Error {
  override readonly name = "ProfilerBusyError";

  constructor() {
    super("another profile is being taken; wait for it to end");
  }
}

/** Runs one inspection at a time, in this process. No port is opened. */
export class Inspector {
  #busy = false;

  /** @throws ProfilerBusyError */
  async run<T>(work: Inspection<T>): Promise<T> {
    if (this.#busy) throw new ProfilerBusyError();
    this.#busy = true;
    const session = new Session();
    try {
      session.connect();
      return await work(session);
    } finally {
      session.disconnect();
      this.#busy = false;
    }
  }
}
