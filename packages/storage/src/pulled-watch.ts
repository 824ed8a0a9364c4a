import { StoreError } from "./errors.ts";
import { asRevision, type Revision } from "./revision.ts";
import type { Change, ChangeSink, Subscription, WatchBatch, WatchOptions } from "./store.ts";

/**
 * Number of changes that may wait for a slow reader. Beyond it the reader must start again, because memory would grow
 * without limit.
 */
const MAX_WAITING = 100_000;

/**
 * Converts a push-based watch into a pull-based one: changes that arrive while the reader is busy are delivered in
 * one batch. Empty batches report progress.
 *
 * @throws StoreError the error of the subscription; `Unavailable` if the reader falls more than {@link MAX_WAITING}
 *   changes behind: it may then watch again from the last revision that it received
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
        // Pushed batches may have a later revision than the progress of the subscription.
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
