import { hasNamespaceTerminatingCause, isConflict } from "@orchernetes/apimachinery";
import { type Clock, type Logger, silentLogger, systemClock } from "@orchernetes/kernel";
import type { WorkQueue } from "../queue/work-queue.ts";
import type { Plan } from "./plan.ts";

/** A controller over keys of a queue: what it sees, what it decides, how that is done. */
export interface Controller<State, Action, K = string> {
  readonly name: string;
  readonly queue: WorkQueue<K>;
  /** Keys worked on at the same time. */
  readonly workers: number;
  /** Attempts after a failure before the key is given up until the next event; absent: never given up. */
  readonly maxRetries?: number;
  /** The part of the world that the key's decision depends on, from caches; undefined when there is nothing to decide. */
  gather(key: K): State | undefined | Promise<State | undefined>;
  /** The decision. Pure: depends on its arguments alone. */
  reconcile(state: State, now: Date): Plan<Action>;
  /** Carries the decision out, in order. What it throws makes the key be tried again. */
  carryOut(actions: readonly Action[], state: State, key: K): Promise<void>;
}

export interface RunOptions {
  readonly signal: AbortSignal;
  readonly logger?: Logger;
  readonly clock?: Clock;
}

/**
 * Works on the queue's keys until the signal aborts, then lets the work under way finish. Per key: gather, reconcile, carry
 * out; success is forgotten or looked at again when the plan says so, a failure is tried again with growing delays.
 * Conflicts are failures that say only that the caches were behind: not logged as errors. Objects that cannot be made since
 * their namespace goes away count as done.
 */
export async function runController<State, Action, K = string>(
  controller: Controller<State, Action, K>,
  options: RunOptions,
): Promise<void> {
  const { clock = systemClock } = options;
  await runWorkers({
    ...options,
    name: controller.name,
    queue: controller.queue,
    workers: controller.workers,
    ...(controller.maxRetries === undefined ? {} : { maxRetries: controller.maxRetries }),
    async sync(key) {
      const state = await controller.gather(key);
      if (state === undefined) return undefined;
      const plan = controller.reconcile(state, clock.now());
      if (plan.actions.length > 0) await controller.carryOut(plan.actions, state, key);
      return plan.requeueAfterMs;
    },
  });
}

export interface WorkerOptions<K> extends RunOptions {
  readonly name: string;
  readonly queue: WorkQueue<K>;
  readonly workers: number;
  readonly maxRetries?: number;
  /** Does one key's work; resolves with the milliseconds after which to look again, if any. */
  sync(key: K): Promise<number | undefined>;
}

/** The loop of {@link runController} around any work. */
export async function runWorkers<K>(options: WorkerOptions<K>): Promise<void> {
  const { name, queue, workers, maxRetries, sync, signal, logger = silentLogger } = options;

  const settle = (key: K, outcome: Outcome): void => {
    switch (outcome.type) {
      case "done":
        queue.forget(key);
        return;
      case "again":
        queue.forget(key);
        queue.addAfter(key, outcome.afterMs);
        return;
      case "failed":
        if (signal.aborted) return;
        if (maxRetries !== undefined && queue.retries(key) >= maxRetries) {
          logger.error(outcome.error, "Gave up after too many failures", { controller: name, key: String(key) });
          queue.forget(key);
          return;
        }
        if (isConflict(outcome.error)) {
          logger.v(4)?.info("Conflict, trying again", { controller: name, key: String(key) });
        } else {
          logger.error(outcome.error, "Reconcile failed, trying again", { controller: name, key: String(key) });
        }
        queue.addRateLimited(key);
        return;
    }
  };

  const work = async (): Promise<void> => {
    for (let key = await queue.get(); key !== undefined; key = await queue.get()) {
      // After the signal the rest of the queue is only emptied.
      if (!signal.aborted) settle(key, await outcomeOf(sync, key));
      queue.done(key);
    }
  };

  const stop = (): void => queue.shutDown();
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  try {
    await Promise.all(Array.from({ length: Math.max(1, workers) }, work));
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

type Outcome =
  | { readonly type: "done" }
  | { readonly type: "again"; readonly afterMs: number }
  | { readonly type: "failed"; readonly error: unknown };

async function outcomeOf<K>(sync: (key: K) => Promise<number | undefined>, key: K): Promise<Outcome> {
  try {
    const afterMs = await sync(key);
    return afterMs === undefined ? { type: "done" } : { type: "again", afterMs };
  } catch (error) {
    return hasNamespaceTerminatingCause(error) ? { type: "done" } : { type: "failed", error };
  }
}
