import { type EventLoop, systemEventLoop } from "@orchernetes/kernel";

/** The largest number of turns of the event loop for which a read waits for more callers, while they keep arriving. */
const MAX_TURNS = 8;
/** The number of reads that may be in flight at a time. */
const MAX_UNDER_WAY = 3;

interface NextRead<T> {
  readonly result: PromiseWithResolvers<T>;
  callers: number;
  /** The number of turns for which it has waited for callers, and the number of callers at the last one. */
  turns: number;
  before: number;
}

/**
 * Lets concurrent callers share one asynchronous read, but never one that started before their call, which would break
 * linearizability: callers that arrive while a read is in flight share the next one. It starts in the first turn of the event loop
 * without new callers, so that under load many callers share one read at the cost of one. It does not wait for earlier reads unless
 * {@link MAX_UNDER_WAY} of them are in flight: the store works on one while the callers of another are served.
 */
export class SharedCall<T> {
  readonly #read: () => Promise<T>;
  readonly #loop: EventLoop;
  #next: NextRead<T> | undefined;
  #underWay = 0;

  constructor(read: () => Promise<T>, loop: EventLoop = systemEventLoop) {
    this.#read = read;
    this.#loop = loop;
  }

  /** Resolves or rejects as the shared read does. */
  run(): Promise<T> {
    if (this.#next === undefined) {
      this.#next = { result: Promise.withResolvers<T>(), callers: 0, turns: 0, before: 0 };
      if (this.#underWay < MAX_UNDER_WAY) this.#loop.defer(this.#turn);
    }
    this.#next.callers++;
    return this.#next.result.promise;
  }

  readonly #turn = (): void => {
    const next = this.#next;
    if (next === undefined || this.#underWay >= MAX_UNDER_WAY) return;
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
    this.#underWay++;
    try {
      resolve(await this.#read());
    } catch (error) {
      reject(error);
    }
    this.#underWay--;
    // The waiting read is only started here if it was held back by the limit; otherwise it is already waiting for its turn.
    if (this.#next !== undefined && this.#underWay === MAX_UNDER_WAY - 1) this.#loop.defer(this.#turn);
  }
}
