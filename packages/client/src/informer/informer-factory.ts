import type { ApiObject } from "@orchernetes/apimachinery";
import type { Client } from "../client.ts";
import type { ResourceRef } from "../resource/resource-ref.ts";
import { createInformer, type Informer, type InformerOptions } from "./informer.ts";
import type { Indexers } from "./lister.ts";

/** Hands out one informer per resource, shared by all who ask. */
export interface InformerFactory {
  /** The informer of a resource; indexers are added to it. Asked for after {@link InformerFactory.start}, it runs at once. */
  informer<T extends ApiObject>(ref: ResourceRef<T>, indexers?: Indexers<T>): Informer<T>;
  /** The informer of a resource, if anyone has asked for it. */
  find(ref: ResourceRef): Informer<ApiObject> | undefined;
  /** Runs every informer handed out so far, and later ones as they are asked for. */
  start(signal: AbortSignal): void;
  /** Resolves when all informers handed out so far have synced. Rejects with the signal's reason. */
  waitForSync(signal?: AbortSignal): Promise<void>;
  /** Resolves when all informers have stopped. */
  stopped(): Promise<void>;
}

/** Options shared by all informers of the factory. */
export type InformerFactoryOptions = Omit<InformerOptions<ApiObject>, "indexers" | "fieldSelector" | "labelSelector">;

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
    async waitForSync(signal) {
      for (const informer of [...informers.values()]) await informer.waitForSync(signal);
    },
    stopped: async () => void (await Promise.all(running)),
  };
}
