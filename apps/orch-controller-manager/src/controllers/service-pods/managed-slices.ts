import type { discovery } from "@orchernetes/api";
import { isNotFound, type Stored } from "@orchernetes/apimachinery";
import type { Client, Indexers, Informer } from "@orchernetes/client";
import type { Expectations } from "@orchernetes/controller";
import { endpointSlices as slicesRef } from "../../shared/refs.ts";

/** Label of a slice with the name of its service. */
export const serviceNameLabel = "orchernetes.io/service-name";
/** Label of a slice with the name of the controller that manages it. */
export const managedByLabel = "endpointslice.orchernetes.io/managed-by";

/** An EndpointSlice as the API server returns it. */
export type EndpointSlice = Stored<discovery.EndpointSlice>;

/** The slices that one controller manages, by their service. */
export interface ManagedSlices {
  readonly indexers: Indexers<discovery.EndpointSlice>;
  /** The slices of a service, given by its key, that are not being deleted. */
  of(slices: Informer<discovery.EndpointSlice>, key: string): readonly EndpointSlice[];
  /** Calls `enqueue` with the services of changed slices, and fulfils their expectations. */
  follow(
    slices: Informer<discovery.EndpointSlice>,
    expectations: Expectations,
    enqueue: (service: string) => void,
  ): void;
}

/** @param manager the value of {@link managedByLabel} */
export function managedSlices(manager: string): ManagedSlices {
  const index = `slices of ${manager}`;
  const serviceOf = ({ metadata }: EndpointSlice): string | undefined => {
    const { labels = {}, namespace } = metadata;
    const name = labels[serviceNameLabel];
    return name !== undefined && labels[managedByLabel] === manager ? `${namespace}/${name}` : undefined;
  };
  return {
    indexers: { [index]: serviceOf },
    of: ({ lister }, key) =>
      lister.byIndex(index, key).filter(({ metadata }) => metadata.deletionTimestamp === undefined),
    follow(slices, expectations, enqueue) {
      slices.addHandler({
        onAdd(slice) {
          const key = serviceOf(slice);
          if (key === undefined) return;
          expectations.creationObserved(key);
          enqueue(key);
        },
        onUpdate(old, slice) {
          for (const key of new Set([serviceOf(old), serviceOf(slice)])) if (key !== undefined) enqueue(key);
        },
        onDelete(slice) {
          const key = serviceOf(slice);
          if (key === undefined) return;
          expectations.deletionObserved(key, slice.metadata.uid);
          enqueue(key);
        },
      });
    },
  };
}

/** Deletes a slice; that it does not exist any more is no error. */
export async function deleteSlice(client: Client, { metadata }: EndpointSlice): Promise<void> {
  const { name, namespace = "", uid } = metadata;
  const deleting = client.resource(slicesRef).namespace(namespace).delete(name, { preconditions: { uid } });
  await deleting.catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
}
