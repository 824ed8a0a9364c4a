import type { ApiObject } from "@orchernetes/apimachinery";
import type { Client } from "../client.ts";
import type { ResourceRef } from "../resource/resource-ref.ts";
import { createInformer, type Informer, type InformerOptions } from "./informer.ts";
import type { Indexers } from "./lister.ts";

/** Creates one informer per resource, which all callers share. */
export interface InformerFactory {
  /** Returns the informer of a resource and adds the indexers to it. After {@link InformerFactory.start} a new informer runs at once. */
  informer<T extends ApiObject>(ref: ResourceRef<T>, indexers?: Indexers<T>): Informer<T>;
  /** Returns the informer of a resource if it has been created. */
  find(ref: ResourceRef): Informer<ApiObject> | undefined;
  /** Runs all informers that exist, and later ones when they are created, until the signal aborts. */
  start(signal: AbortSignal): void;
  /** Resolves when all informers that exist have synced. Rejects with the signal's reason. */
  waitForSync(signal?: AbortSignal): Promise<void>;
  /** Resolves when all informers have stopped. */
  stopped(): Promise<void>;
}

/** Options shared by all informers of the factory. */
export type InformerFactoryOptions = Omit<InformerOptions<ApiObject>, "indexers" | "fieldSelector" | "labelSelector">;

/**
 * Creates a factory. Nothing is requested before {@link InformerFactory.start}.
 *
 * @example
 * ```ts
 * const factory = createInformerFactory(client, { logger });
 * const pods = factory.informer(podRef, { node: (pod) => pod.spec.nodeName });
 * pods.addHandler({ onAdd: (pod) => queue.add(keyOf(pod)) });
 * factory.start(signal);
 * await factory.waitForSync(signal);
 * pods.lister.byIndex("node", "node-a");
 * ```
 */
export function createInformerFactory(client: Client, options: InformerFactoryOptions = {}): InformerFactory {
  const informers = new Map<string, Informer<ApiObject>>();
  const running: Promise<void>[] = [];
  let started: AbortSignal | undefined;
  return {
    informer<T extends ApiObject>(ref: ResourceRef<T>, indexers?: Indexers<T>): Informer<T> {
      const key = `${ref.group}/${ref.version}/${ref.plural}`;
      let informer = informers.get(key) as Informer<T> | undefined;
      if (informer === undefined) {
        informer = createInformer(client, ref, options as unknown as InformerOptions<T>);
        informers.set(key, informer as unknown as Informer<ApiObject>);
        if (started !== undefined) running.push(informer.run(started));
      }
      if (indexers !== undefined) informer.addIndexers(indexers);
      return informer;
    },
    find: ({ group, version, plural }) => informers.get(`${group}/${version}/${plural}`),
    start(signal) {
      if (started !== undefined) return;
      started = signal;
      for (const informer of informers.values()) running.push(informer.run(signal));
    },
    // A copy: informers that are created during the wait are not part of it.
    async waitForSync(signal) {
      for (const informer of [...informers.values()]) await informer.waitForSync(signal);
    },
    stopped: async () => void (await Promise.all(running)),
  };
}
