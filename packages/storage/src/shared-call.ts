import { type EventLoop, systemEventLoop } from "@orchernetes/kernel";

/** Turns of the event loop that a read waits at most for more callers, while they keep coming. */
const MAX_TURNS = 8;
/** Reads that may be under way at a time. */
const MAX_UNDER_WAY = 3;

interface NextRead<T> {
  readonly result: PromiseWithResolvers<T>;
  callers: number;
  /** Turns that it has waited for callers, and how many there were at the last one. */
  turns: number;
  before: number;
}

/**
 * Lets concurrent callers share one asynchronous read, while each still gets one that started after its own call: who comes
 * while a read is under way shares the next one. That starts in the first turn of the event loop that brings no more callers,
 * so that under load, when each turn brings some, many share what costs the store as much as it costs one. It does not wait
 * for the reads before it unless there are {@link MAX_UNDER_WAY} of them: the store works on one while the callers of another
 * are served.
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

  /** Rejects with what the read rejects with. */
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
    // Its callers are those who came while there were too many under way; otherwise it has its turns already.
    if (this.#next !== undefined && this.#underWay === MAX_UNDER_WAY - 1) this.#loop.defer(this.#turn);
  }
}
