import { type ApiObject, controllerOf, keyOf, type Selector, type Stored } from "@orchernetes/apimachinery";
import type { Client, Informer } from "@orchernetes/client";
import type { Expectations } from "./expectations.ts";

/** Milliseconds after a broken connection until the server is asked: by then it has completed or dropped what it had received. */
const SETTLE_MS = 1000;
/** Milliseconds between two looks, while the cache lags behind the server. */
const REPEAT_MS = 200;

/** An owner whose creations, or updates of dependents, may have been carried out although their responses are missing. */
export interface UnknownOutcomes {
  readonly expectations: Expectations;
  readonly key: string;
  readonly client: Client;
  readonly owner: Stored<ApiObject>;
  readonly selector: Selector;
  /** The caches of its dependents. */
  readonly informers: readonly Informer<ApiObject>[];
}

/**
 * Determines the outcomes of writes without a response (see {@link Expectations.outcomeUnknown}): it lists the dependents at the
 * server, and the outcomes are known when the caches contain them all in these generations. Otherwise a controller whose watches broke
 * with the same connection would create the missing ones a second time, or reckon with an older size. Costs nothing for other keys.
 *
 * @returns milliseconds after which to look again; undefined if there is nothing unknown
 * @throws ApiError, TransportError of the list
 */
export async function lookUpOutcomes(unknown: UnknownOutcomes): Promise<number | undefined> {
  const { expectations, key, client, owner, selector, informers } = unknown;
  const sinceMs = expectations.unknownForMs(key);
  if (sinceMs === undefined) return undefined;
  if (sinceMs < SETTLE_MS) return SETTLE_MS - sinceMs;
  const { namespace = "", uid } = owner.metadata;
  for (const { ref, lister } of informers) {
    const resource = client.resource(ref).namespace(namespace);
    const { items } = await resource.listAll({ labelSelector: selector.toString() });
    const isUnseen = (item: Stored<ApiObject>): boolean => {
      if (controllerOf(item)?.uid !== uid) return false;
      const cached = lister.byKey(keyOf(item));
      return cached === undefined || (cached.metadata.generation ?? 0) < (item.metadata.generation ?? 0);
    };
    if (items.some(isUnseen)) return REPEAT_MS;
  }
  expectations.outcomesKnown(key);
  return undefined;
}
