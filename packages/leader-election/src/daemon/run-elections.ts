import type { LeaderElector } from "../leader-elector.ts";

/** The elections that a daemon takes part in. */
export interface Elections {
  readonly main: Pick<LeaderElector, "run">;
  /** One more, for a part of the work; undefined: there is none. */
  readonly migration?: {
    readonly elector: Pick<LeaderElector, "run">;
    /**
     * Resolves when the main lock is held and its work is prepared. The second lock is not attempted before, so that two replicas do not
     * hold one lock each.
     */
    readonly ready: Promise<void>;
  };
}

/** A lock was lost: another replica may work already, so nothing is waited for. */
class LeadershipLost extends Error {
  override readonly name = "LeadershipLost";
}

/**
 * Takes part in the elections until the signal aborts, or the work under the main lock ends; then all locks are released.
 *
 * @throws Error when a lock is lost, or the work under one of them fails
 */
export async function runElections({ main, migration }: Elections, signal: AbortSignal): Promise<void> {
  const end = new AbortController();
  const until = AbortSignal.any([signal, end.signal]);
  const aborted = new Promise<void>((resolve) => {
    if (until.aborted) resolve();
    else until.addEventListener("abort", () => resolve(), { once: true });
  });
  const takePart = async (elector: Pick<LeaderElector, "run">, name: string): Promise<void> => {
    if ((await elector.run(until)) === "lost") throw new LeadershipLost(`${name} lost`);
  };
  const all = [takePart(main, "leader election").finally(() => end.abort())];
  if (migration !== undefined) {
    const { elector, ready } = migration;
    all.push(
      Promise.race([ready, aborted]).then(() =>
        until.aborted ? undefined : takePart(elector, "migration leader election"),
      ),
    );
  }
  try {
    await Promise.all(all);
  } catch (error) {
    end.abort();
    if (!(error instanceof LeadershipLost)) await Promise.allSettled(all);
    throw error;
  }
}
