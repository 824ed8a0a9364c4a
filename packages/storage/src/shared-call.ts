import { type EventLoop, systemEventLoop } from "@orchernetes/kernel";

/**
 * Largest number of turns of the event loop for which a read waits for more callers while they keep arriving. It
 * bounds the latency under constant load.
 */
const MAX_TURNS = 8;
/** Number of reads that may be in flight at once. One is too few: the store would be idle while callers are served. */
const MAX_IN_FLIGHT = 3;

/** The read that callers are collected for. */
interface NextRead<T> {
  readonly result: PromiseWithResolvers<T>;
  callers: number;
  /** The number of turns for which it has waited for callers, and the number of callers at the last one. */
  turns: number;
  before: number;
}

/**
 * Lets concurrent callers share one asynchronous read, but never one that started before their call: it could miss a
 * write that was acknowledged in between, which would break linearizability. Callers that arrive while a read is in
 * flight share the next one. It starts in the first turn of the event loop without new callers, so that under load
 * many callers share one read. It does not wait for earlier reads unless {@link MAX_IN_FLIGHT} of them are in flight.
 */
export class SharedCall<T> {
  readonly #read: () => Promise<T>;
  readonly #loop: EventLoop;
  #next: NextRead<T> | undefined;
  #inFlight = 0;

  constructor(read: () => Promise<T>, loop: EventLoop = systemEventLoop) {
    this.#read = read;
    this.#loop = loop;
  }

  /** Resolves or rejects as the shared read does. */
  run(): Promise<T> {
    if (this.#next === undefined) {
      this.#next = { result: Promise.withResolvers<T>(), callers: 0, turns: 0, before: 0 };
      if (this.#inFlight < MAX_IN_FLIGHT) this.#loop.defer(this.#turn);
    }
    this.#next.callers++;
    return this.#next.result.promise;
  }

  readonly #turn = (): void => {
    const next = this.#next;
    if (next === undefined || this.#inFlight >= MAX_IN_FLIGHT) return;
    if (next.turns < MAX_TURNS && next.before < next.callers) {
      next.turns++;
      next.before = next.callers;
      this.#loop.defer(this.#turn);
      return;
    }
    this.#next = undefined;
    void this.#start(next.result);
  };

  async #start({ resolve, reject }: PromiseWithResolvers<T>): Promise<void> {
    this.#inFlight++;
    try {
      resolve(await this.#read());
    } catch (error) {
      reject(error);
    }
    this.#inFlight--;
    // The waiting read is only started here if it was held back by the limit; otherwise it is already waiting for its turn.
    if (this.#next !== undefined && this.#inFlight === MAX_IN_FLIGHT - 1) this.#loop.defer(this.#turn);
  }
}
