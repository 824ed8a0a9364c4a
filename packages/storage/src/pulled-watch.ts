import { StoreError } from "./errors.ts";
import { asRevision } from "./revision.ts";
import type { Change, ChangeSink, Revision, Subscription, WatchBatch, WatchOptions } from "./store.ts";

/** Changes that may wait for a slow reader. */
const MAX_WAITING = 100_000;

/**
 * A pull-based watch made of a push-based one: what comes while the reader is busy is given to it in one batch.
 *
 * @throws StoreError what the subscription ends with; `Unavailable` if the reader falls too far behind, who may then watch
 * again from the last revision it saw.
 */
export async function* watchBySubscription(
  subscribe: (after: Revision, sink: ChangeSink) => Subscription,
  { after, signal }: WatchOptions,
): AsyncGenerator<WatchBatch> {
  let changes: Change[] = [];
  let end: { readonly error: StoreError | undefined } | undefined;
  let wake = () => {};
  const subscription = subscribe(after, {
    onBatch(batch) {
      for (const change of batch.changes) changes.push(change);
      if (changes.length > MAX_WAITING) {
        end = { error: new StoreError("Unavailable", `the reader of a watch is ${changes.length} changes behind`) };
        subscription.close();
      }
      wake();
    },
    onEnd(error) {
      end ??= { error };
      wake();
    },
  });
  const aborted = () => wake();
  signal.addEventListener("abort", aborted);
  let given = after;
  try {
    while (!signal.aborted && end === undefined) {
      const { revision } = subscription;
      if (changes.length > 0 || revision > given) {
        // Pushed batches may already reach further than the subscription's own progress.
        const last = changes.at(-1)?.revision ?? given;
        given = asRevision(Math.max(last, revision));
        const batch = { changes, revision: given };
        changes = [];
        yield batch;
        continue;
      }
      await new Promise<void>((resolve) => {
        wake = resolve;
        const cancel = subscription.whenReached(asRevision(given + 1), resolve);
        wake = () => {
          cancel();
          resolve();
        };
      });
    }
    if (end?.error !== undefined && !signal.aborted) throw end.error;
  } finally {
    signal.removeEventListener("abort", aborted);
    subscription.close();
  }
}
