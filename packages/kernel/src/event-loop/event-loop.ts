/**
 * The event loop of a process, passed in as a value: a daemon passes {@link systemEventLoop}, and a test steps the turns of a
 * `FakeEventLoop`. One turn of the loop runs every callback that has become ready, which may be the data of thousands of
 * connections. Until all of them have returned, no timer fires and no other connection is read. Work that may take long is
 * therefore divided into several turns.
 */
export interface EventLoop {
  /** Calls `callback` in the next turn, after timers and IO that is ready. Several callbacks run in the order of the calls. */
  defer(callback: () => void): void;
  /** Resolves in the next turn. */
  nextTurn(): Promise<void>;
  /** Milliseconds with a fraction, from an arbitrary start, that never run backwards; budgets are measured with it. */
  nowMs(): number;
}

/** The event loop of this process. */
export const systemEventLoop: EventLoop = Object.freeze({
  defer: (callback: () => void) => void setImmediate(callback),
  nextTurn: () => new Promise<void>((resolve) => void setImmediate(resolve)),
  nowMs: () => performance.now(),
});
