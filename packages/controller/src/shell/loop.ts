import { hasNamespaceTerminatingCause, isConflict } from "@orchernetes/apimachinery";
import { assertNever, type Clock, type Logger, silentLogger, systemClock } from "@orchernetes/kernel";
import type { WorkQueue } from "../queue/work-queue.ts";
import { type Plan, sooner } from "./plan.ts";

/** The common options of loops: how keys are taken from the queue, and how failures are handled. */
export type LoopBase<K> = {
  /** The name of the loop in logs. @default the controller's name */
  readonly name?: string;
  readonly queue: WorkQueue<K>;
  /** The number of keys that are worked on at the same time. */
  readonly workers: number;
  /** Retries of a key that fails, before it is dropped until its next event. @default no limit */
  readonly maxRetries?: number;
  /**
   * Returns the milliseconds after which a key that failed is retried, instead of the exponential delay. The loop must then log
   * the error itself.
   */
  failed?(error: unknown, key: K): number;
} & (K extends string
  ? { readonly describeKey?: (key: K) => string }
  : {
      /** The key as it is logged. */
      readonly describeKey: (key: K) => string;
    });

/** Milliseconds after which the key is requeued, if the action needs that. */
// biome-ignore lint/suspicious/noConfusingVoidType: an action without a requeue time returns nothing.
export type ActionOutcome = number | undefined | void;

/** A loop over the keys of a queue: the state it reads, the decision, and how the decision is carried out. */
export type Loop<State, Action, K = string> = LoopBase<K> & {
  /** Reads the state on which the decision about the key depends; undefined when there is nothing to decide. It must not write. */
  gather(key: K): State | undefined | Promise<State | undefined>;
  /** The decision. Pure: depends on its arguments alone. */
  reconcile(state: State, now: Date): Plan<Action>;
  /** Carries out the decision. If it throws, the key is retried. See {@link inOrder}. */
  carryOut(actions: readonly Action[], state: State, key: K): Promise<ActionOutcome>;
};

/** Options with which every loop is started. */
export interface RunOptions {
  /** The controller's name, for logs. */
  readonly name: string;
  /** Stops the loop once the keys in progress are done. */
  readonly signal: AbortSignal;
  /** @default silent */
  readonly logger?: Logger;
  /** @default systemClock */
  readonly clock?: Clock;
}

/** One handler for each type of action. */
export type ActionHandlers<Action extends { readonly type: string }, State, K = string> = {
  readonly [T in Action["type"]]: (
    action: Action & { readonly type: T },
    state: State,
    key: K,
  ) => ActionOutcome | Promise<ActionOutcome>;
};

/**
 * Carries out actions one after the other, each by the handler of its type; the first one that fails ends the plan. Resolves with
 * the shortest requeue time of the actions.
 *
 * @example
 * ```ts
 * carryOut: inOrder<JobAction, JobState>({
 *   UpdateStatus: async ({ job }) => void (await jobs.updateStatus(job)),
 *   Release: ({ pods }) => release(pods),
 * })
 * ```
 */
export function inOrder<Action extends { readonly type: string }, State, K = string>(
  handlers: ActionHandlers<Action, State, K>,
): (actions: readonly Action[], state: State, key: K) => Promise<number | undefined> {
  return async (actions, state, key) => {
    let againMs: number | undefined;
    for (const action of actions) {
      const handler: (action: Action, state: State, key: K) => ActionOutcome | Promise<ActionOutcome> =
        handlers[action.type as Action["type"]];
      againMs = sooner(againMs, (await handler(action, state, key)) ?? undefined);
    }
    return againMs;
  };
}

/**
 * Works on the queue's keys until the signal aborts, then lets the work in progress finish. For each key it gathers, reconciles
 * and carries out. After a success the key is forgotten, or requeued when the plan says so; after a failure it is retried with
 * an exponential delay. A conflict only means that the caches were stale, so it is retried but not logged as an error. An object
 * that cannot be created because its namespace is terminating counts as done.
 */
export async function runLoop<State, Action, K = string>(
  loop: Loop<State, Action, K>,
  options: RunOptions,
): Promise<void> {
  const { clock = systemClock } = options;
  await runKeys(loop, options, async (key) => {
    const state = await loop.gather(key);
    if (state === undefined) return undefined;
    const plan = loop.reconcile(state, clock.now());
    const againMs = plan.actions.length === 0 ? undefined : await loop.carryOut(plan.actions, state, key);
    return sooner(plan.requeueAfterMs, againMs ?? undefined);
  });
}

/** Takes keys from the queue, runs `sync` for each, and requeues or forgets the key according to the result. */
export async function runKeys<K>(
  loop: LoopBase<K>,
  options: RunOptions,
  sync: (key: K) => Promise<number | undefined>,
): Promise<void> {
  const { queue } = loop;
  const { signal } = options;
  const work = async (): Promise<void> => {
    for (let key = await queue.get(); key !== undefined; key = await queue.get()) {
      // Once the signal has aborted, the remaining keys are only removed from the queue.
      if (!signal.aborted) settle(loop, options, key, await outcomeOf(sync, key));
      queue.done(key);
    }
  };
  const stop = (): void => queue.shutDown();
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  try {
    await Promise.all(Array.from({ length: Math.max(1, loop.workers) }, work));
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
    return { type: "failed", error };
  }
}

function settle<K>(loop: LoopBase<K>, options: RunOptions, key: K, outcome: Outcome): void {
  const { queue } = loop;
  switch (outcome.type) {
    case "done":
      queue.forget(key);
      return;
    case "again":
      queue.forget(key);
      queue.addAfter(key, outcome.afterMs);
      return;
    case "failed":
      settleFailure(loop, options, key, outcome.error);
      return;
    default:
      assertNever(outcome);
  }
}

function settleFailure<K>(loop: LoopBase<K>, options: RunOptions, key: K, error: unknown): void {
  const { queue, maxRetries, describeKey = String } = loop;
  const { signal, logger = silentLogger } = options;
  if (loop.failed !== undefined) {
    queue.forget(key);
    queue.addAfter(key, loop.failed(error, key));
    return;
  }
  if (hasNamespaceTerminatingCause(error)) {
    queue.forget(key);
    return;
  }
  if (signal.aborted) return;
  const values = { controller: loop.name ?? options.name, key: describeKey(key) };
  if (maxRetries !== undefined && queue.retries(key) >= maxRetries) {
    logger.error(error, "Gave up after too many failures", values);
    queue.forget(key);
    return;
  }
  if (isConflict(error)) logger.v(4)?.info("Conflict, trying again", values);
  else logger.error(error, "Reconcile failed, trying again", values);
  queue.addRateLimited(key);
}
