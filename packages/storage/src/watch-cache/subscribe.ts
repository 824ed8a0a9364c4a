import { ChangeHub } from "../change-hub.ts";
import { isStoreError, StoreError } from "../errors.ts";
import type { Revision } from "../revision.ts";
import type { ChangeSink, Store, Subscription } from "../store.ts";

/** Subscribes with the store's push-based watch if it has one, otherwise with its pull-based one. */
export function subscribe(store: Store, prefix: string, after: Revision, sink: ChangeSink): Subscription {
  return store.subscribe?.(prefix, after, sink) ?? pulled(store, prefix, after, sink);
}

function pulled(store: Store, prefix: string, after: Revision, sink: ChangeSink): Subscription {
  const controller = new AbortController();
  const hub = new ChangeHub(after);
  hub.attach("", sink);
  const pull = async () => {
    for await (const batch of store.watch(prefix, { after, signal: controller.signal })) {
      if (controller.signal.aborted) break;
      hub.publish(batch.changes, batch.revision);
    }
  };
  pull().then(
    () => hub.end(undefined),
    (cause: unknown) =>
      hub.end(isStoreError(cause) ? cause : new StoreError("Unavailable", "the watch failed", { cause })),
  );
  return {
    get revision() {
      return hub.position;
    },
    whenReached: (revision, callback) => hub.whenReached(revision, callback),
    close: () => controller.abort(),
  };
}
