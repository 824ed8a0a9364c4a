/** What a signal ends. */
interface Abortable {
  /** Called once, when the signal aborts. */
  aborted(): void;
}

/**
 * Listens to signals for many requests: those of a daemon nearly all have the same signal, which walks all its listeners to remove one.
 */
export class SharedAborts {
  readonly #waiting = new Map<AbortSignal, Set<Abortable>>();

  /** Calls `item.aborted` when the signal aborts. */
  add(signal: AbortSignal, item: Abortable): void {
    const items = this.#waiting.get(signal);
    if (items !== undefined) {
      items.add(item);
      return;
    }
    this.#waiting.set(signal, new Set([item]));
    signal.addEventListener("abort", this, { once: true });
  }

  /** The item is not called any more. Idempotent. */
  delete(signal: AbortSignal, item: Abortable): void {
    const items = this.#waiting.get(signal);
    if (items?.delete(item) !== true || items.size > 0) return;
    this.#waiting.delete(signal);
    signal.removeEventListener("abort", this);
  }

  /** A signal aborted. */
  handleEvent({ target }: Event): void {
    const signal = target as AbortSignal;
    const items = this.#waiting.get(signal) ?? [];
    this.#waiting.delete(signal);
    for (const item of items) item.aborted();
  }
}
