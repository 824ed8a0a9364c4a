import type { Check } from "@orchernetes/component";
import type { Store } from "@orchernetes/storage";
import type { OpenStore } from "./stores.ts";
import { resourceName } from "./stores.ts";

/** `etcd`, `etcd-override-events`, `etcd-override-leases.coordination.o8s.io`. */
function nameOf(base: string, name: string): string {
  if (name === "") return base;
  const [group = "", plural = ""] = name.split("/");
  return `${base}-override-${resourceName({ group, plural })}`;
}

async function within(store: Store, timeoutMs: number, signal: AbortSignal, writes: boolean): Promise<void> {
  const limit = AbortSignal.timeout(timeoutMs);
  const either = AbortSignal.any([signal, limit]);
  // Not every engine times out by itself.
  const late = new Promise<never>((_, reject) => {
    either.addEventListener(
      "abort",
      () =>
        reject(new Error(limit.aborted ? `the store did not answer within ${timeoutMs} ms` : "the check was aborted")),
      { once: true },
    );
  });
  late.catch(() => undefined);
  await Promise.race([store.health(either), late]);
  if (writes) await Promise.race([store.writable?.(either), late]);
}

/** The checks `etcd`, one per engine: it answers within the time. */
export function storeChecks(stores: readonly OpenStore[], timeoutMs: number): readonly Check[] {
  return stores.map(({ name, store }) => ({
    name: nameOf("etcd", name),
    check: (signal) => within(store, timeoutMs, signal, false),
  }));
}

/** The checks `etcd-readiness`, one per engine: it answers within the time, and takes writes. */
export function storeReadyChecks(stores: readonly OpenStore[], timeoutMs: number): readonly Check[] {
  return stores.map(({ name, store }) => ({
    name: nameOf("etcd-readiness", name),
    check: (signal) => within(store, timeoutMs, signal, true),
  }));
}
