import type { Clock, Logger } from "@orchernetes/kernel";

/** Long operations on volumes, which run outside the workers of the queues. */
export interface Operations {
  /**
   * Starts an operation, unless one with this name is in flight or in back-off. The back-off doubles with each
   * consecutive failure, from half a second to about two minutes. Never throws: failures are logged.
   */
  start(name: string, work: () => Promise<void>): void;
  /** Resolves when no operation is in flight. */
  settled(): Promise<void>;
}

const firstBackoffMs = 500;
const longestBackoffMs = 122_000;

/** Creates an empty set of operations. */
export function createOperations({ clock, logger }: { readonly clock: Clock; readonly logger: Logger }): Operations {
  const running = new Map<string, Promise<void>>();
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
    }
  };
  return {
    start(name, work) {
      const nowMs = clock.monotonicMs();
      for (const [key, { backoffMs, untilMs }] of failed) {
        // The operation is no longer requested.
        if (untilMs + longestBackoffMs + backoffMs < nowMs) failed.delete(key);
      }
      if (running.has(name) || (failed.get(name)?.untilMs ?? 0) > nowMs) return;
      running.set(name, attempt(name, work));
    },
    async settled() {
      await Promise.all(running.values());
    },
  };
}
