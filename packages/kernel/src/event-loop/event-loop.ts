/**
 * The event loop of a process, as a value that is passed in: the root of a daemon hands on {@link systemEventLoop}, tests step the
 * turns of a `FakeEventLoop`. One turn hands out everything that has become ready, be it the words of thousands of connections, and
 * until all of it is done no timer fires and nobody else is heard. Whatever may be long is therefore done in several turns.
 */
export interface EventLoop {
  /** Calls back in the next turn, after timers and whatever is ready had theirs; several callbacks in the order of the calls. */
  defer(callback: () => void): void;
  /** Resolves in the next turn. */
  nextTurn(): Promise<void>;
  /** Milliseconds with a fraction, from any start, that never run backwards: what budgets are measured with. */
  nowMs(): number;
}

/** The event loop of this process. */
export const systemEventLoop: EventLoop = Object.freeze({
  defer: (callback: () => void) => void setImmediate(callback),
  nextTurn: () => new Promise<void>((resolve) => void setImmediate(resolve)),
  nowMs: () => performance.now(),
});
