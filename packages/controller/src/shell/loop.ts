import { hasNamespaceTerminatingCause, isConflict } from "@orchernetes/apimachinery";
import { assertNever, type Clock, type Logger, silentLogger, systemClock } from "@orchernetes/kernel";
import type { WorkQueue } from "../queue/work-queue.ts";
import { type Plan, sooner } from "./plan.ts";

/** How a loop takes keys from its queue and what becomes of failures; the part that every loop has. */
export type LoopBase<K> = {
  /** Names the loop in logs. @default the controller's name */
  readonly name?: string;
  readonly queue: WorkQueue<K>;
  /** Keys worked on at the same time. */
  readonly workers: number;
  /** Attempts after a failure before the key is given up until the next event. @default without limit */
  readonly maxRetries?: number;
  /**
   * Milliseconds after which a key that failed is looked at again, in place of a growing delay; the failure is then the
   * loop's to log.
   */
  failed?(error: unknown, key: K): number;
} & (K extends string
  ? { readonly describeKey?: (key: K) => string }
  : {
      /** The key as logs show it. */
      readonly describeKey: (key: K) => string;
    });

/** Milliseconds after which to look again, if the action asks for it. */
// biome-ignore lint/suspicious/noConfusingVoidType: an action that has nothing to say returns nothing.
export type ActionOutcome = number | undefined | void;

/** A loop over the keys of a queue: what it sees, what it decides, how that is done. */
export type Loop<State, Action, K = string> = LoopBase<K> & {
  /** The part of the world that the key's decision depends on; undefined when there is nothing to decide. Reads only. */
  gather(key: K): State | undefined | Promise<State | undefined>;
  /** The decision. Pure: depends on its arguments alone. */
  reconcile(state: State, now: Date): Plan<Action>;
  /** Carries the decision out. What it throws makes the key be tried again. See {@link inOrder}. */
  carryOut(actions: readonly Action[], state: State, key: K): Promise<ActionOutcome>;
};

export interface RunOptions {
  /** The controller's name, for logs. */
  readonly name: string;
  /** Ends the loop after the keys that are being worked on. */
  readonly signal: AbortSignal;
  /** @default silent */
  readonly logger?: Logger;
  /** @default the system's */
  readonly clock?: Clock;
}

/** What carries out each type of action. */
export type ActionHandlers<Action extends { readonly type: string }, State, K = string> = {
  readonly [T in Action["type"]]: (
    action: Action & { readonly type: T },
    state: State,
    key: K,
  ) => ActionOutcome | Promise<ActionOutcome>;
};

/**
 * Carries actions out one after the other, each by the handler of its type; the first that fails ends the plan. Resolves
 * with the shortest of the times after which actions want another look.
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
 * Works on the queue's keys until the signal aborts, then lets the work under way finish. Per key: gather, reconcile, carry
 * out; success is forgotten or looked at again when the plan says so, a failure is tried again with growing delays.
 * Conflicts are failures that say only that the caches were behind: not logged as errors. Objects that cannot be made since
 * their namespace goes away count as done.
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

/** Takes keys from the queue, does each one's work, and settles how it ended. */
export async function runKeys<K>(
  loop: LoopBase<K>,
  options: RunOptions,
  sync: (key: K) => Promise<number | undefined>,
): Promise<void> {
  const { queue } = loop;
  const { signal } = options;
  const work = async (): Promise<void> => {
    for (let key = await queue.get(); key !== undefined; key = await queue.get()) {
      // After the signal the rest of the queue is only emptied.
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
