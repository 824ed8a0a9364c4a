import type { ApiObject, Stored } from "@orchernetes/apimachinery";
import { type Client, createInformer, type Informer } from "@orchernetes/client";
import type { Logger } from "@orchernetes/kernel";
import { type ObjectSource, objectKey, readObject, type WantedObject } from "./object-source.ts";

interface Watched {
  readonly informer: Informer<ApiObject>;
  readonly stop: AbortController;
  /** Uids of the pods that have read it. */
  readonly users: Set<string>;
  /** Set if the object is immutable; then it is not watched. */
  final: ApiObject | undefined;
}

/** Limit of the wait for the first list, in milliseconds, as in the original. */
const syncMs = 1000;

/**
 * Watches each object that a pod of the node needs, from its first read until no pod needs it (strategy Watch). A read costs no
 * request, and works while the API server is unavailable. Immutable objects are read once (KEP-1412).
 *
 * @param signal ends all watches
 */
export function createWatchingSource(client: Client, logger: Logger, signal: AbortSignal): ObjectSource {
  const watched = new Map<string, Watched>();

  const watch = <T extends ApiObject>({ ref, namespace, name }: WantedObject<T>): Watched => {
    const informer = createInformer(client, ref, { namespace, fieldSelector: `metadata.name=${name}`, logger });
    const stop = new AbortController();
    const entry: Watched = {
      informer: informer as unknown as Informer<ApiObject>,
      stop,
      users: new Set(),
      final: undefined,
    };
    const see = (object: ApiObject): void => {
      if (object.metadata?.name !== name || !("immutable" in object) || object.immutable !== true) return;
      entry.final = object;
      stop.abort();
    };
    informer.addHandler({ onAdd: see, onUpdate: (_, object) => see(object) });
    void informer.run(AbortSignal.any([stop.signal, signal]));
    return entry;
  };

  return {
    async find<T extends ApiObject>(wanted: WantedObject<T>): Promise<Stored<T> | undefined> {
      const key = objectKey(wanted);
      const entry = watched.get(key) ?? watch(wanted);
      watched.set(key, entry);
      entry.users.add(wanted.podUid);
      if (entry.final === undefined && !entry.informer.hasSynced()) {
        const isSynced = await entry.informer.waitForSync(AbortSignal.any([signal, AbortSignal.timeout(syncMs)])).then(
          () => true,
          () => false,
        );
        // A direct request returns the cause, such as a denied request; the informer only retries.
        if (!isSynced && entry.final === undefined) return readObject(client, wanted);
      }
      const found = entry.final ?? entry.informer.lister.get(wanted.namespace, wanted.name);
      return found as Stored<T> | undefined;
    },
    forget(podUid) {
      for (const [key, { users, stop }] of watched) {
        if (!users.delete(podUid) || users.size > 0) continue;
        stop.abort();
        watched.delete(key);
      }
    },
  };
}
