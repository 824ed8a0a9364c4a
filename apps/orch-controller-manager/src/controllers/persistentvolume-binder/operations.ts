import type { Clock, Logger } from "@orchernetes/kernel";

/** Long operations on volumes, which run outside the workers of the queues. */
export interface Operations {
  /**
   * Starts an operation, unless one with this name is in flight or in back-off. The back-off doubles with each
   * consecutive failure, from half a second to about two minutes. Never throws: failures are logged.
   *
   * When as many as allowed are in flight, it waits for its turn, in order. The objects may have changed until then.
   */
  start(name: string, work: () => Promise<void>): void;
  /** Resolves when no operation is in flight or waits for its turn. */
  settled(): Promise<void>;
}

const firstBackoffMs = 500;
const longestBackoffMs = 122_000;

/** What operations need. */
interface OperationsOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** When it aborts, operations that wait for their turn are dropped, and none starts any more. */
  readonly signal: AbortSignal;
  /** Most operations in flight: each of them holds requests, and some wait for minutes. */
  readonly maxConcurrent: number;
}

/** Creates an empty set of operations. */
export function createOperations({ clock, logger, signal, maxConcurrent }: OperationsOptions): Operations {
  const running = new Map<string, Promise<void>>();
  /** In the order of their turns. */
  const waiting = new Map<string, () => Promise<void>>();
  const failed = new Map<string, { readonly backoffMs: number; readonly untilMs: number }>();
  const attempt = async (name: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
      failed.delete(name);
    } catch (error) {
      const before = failed.get(name);
      const backoffMs = before === undefined ? firstBackoffMs : Math.min(before.backoffMs * 2, longestBackoffMs);
      failed.set(name, { backoffMs, untilMs: clock.monotonicMs() + backoffMs });
      logger.error(error, "Work on a volume failed", { operation: name });
    } finally {
      running.delete(name);
      startWaiting();
    }
  };
  const startWaiting = (): void => {
    if (signal.aborted) waiting.clear();
    for (const [name, work] of waiting) {
      if (running.size >= maxConcurrent) return;
      waiting.delete(name);
      running.set(name, attempt(name, work));
    }
  };
  return {
    start(name, work) {
      const nowMs = clock.monotonicMs();
      for (const [key, { backoffMs, untilMs }] of failed) {
        // The operation is no longer requested.
        if (untilMs + longestBackoffMs + backoffMs < nowMs) failed.delete(key);
      }
      if (running.has(name) || waiting.has(name) || (failed.get(name)?.untilMs ?? 0) > nowMs) return;
      waiting.set(name, work);
      startWaiting();
    },
    async settled() {
      while (running.size > 0) await Promise.all(running.values());
    },
  };
}
