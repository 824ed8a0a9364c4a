import { messageOf } from "@orchernetes/kernel";
import { isStoreError, StoreError } from "./errors.ts";
import type { ChangeSink, WatchBatch } from "./store.ts";

/**
 * Passes a batch to a sink. One that throws has possibly processed a part of the batch, so it must not receive it
 * again.
 *
 * @throws StoreError `Compacted`, with which the sink's subscription must end: its owner then lists again
 */
export function deliver(sink: ChangeSink, batch: WatchBatch): void {
  try {
    sink.onBatch(batch);
  } catch (cause) {
    // When subscriptions wrap each other, the innermost one has already reported the error.
    if (isStoreError(cause, "Compacted")) throw cause;
    const message = `the subscriber failed to process the changes up to revision ${batch.revision}: ${messageOf(cause)}`;
    throw new StoreError("Compacted", message, { cause });
  }
}
