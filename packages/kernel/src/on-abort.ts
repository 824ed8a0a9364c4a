interface Followed {
  readonly callbacks: Set<() => void>;
  /** Removes the listener. */
  readonly unfollow: () => void;
}

/** Signals with what is called when they abort. One listener of a signal stands for all of them. */
const followedSignals = new WeakMap<AbortSignal, Followed>();

/**
 * Calls back once when the signal aborts, in the order of the calls of this function. Undoing it takes the same time however many wait: a signal
 * looks through all of its listeners for the one to remove, and a daemon has hundreds of timers that end with it.
 *
 * @param signal has not aborted yet
 * @param callback must not throw
 * @returns a function that undoes it; idempotent
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  // Callers may pass the same function twice.
  const call = () => callback();
  let followed = followedSignals.get(signal);
  if (followed === undefined) {
    followed = follow(signal);
    followedSignals.set(signal, followed);
  }
  const { callbacks, unfollow } = followed;
  callbacks.add(call);
  return () => {
    // Signals that are made of others stay in memory as long as they have listeners.
    if (callbacks.delete(call) && callbacks.size === 0) unfollow();
  };
}

function follow(signal: AbortSignal): Followed {
  const callbacks = new Set<() => void>();
  const onEvent = () => {
    for (const call of callbacks) call();
    callbacks.clear();
  };
  signal.addEventListener("abort", onEvent, { once: true });
  return {
    callbacks,
    unfollow() {
      signal.removeEventListener("abort", onEvent);
      followedSignals.delete(signal);
    },
  };
}
