import { type ApiObject, isNotFound, type OwnerReference } from "@orchernetes/apimachinery";
import type { Client } from "@orchernetes/client";
import type { Clock } from "@orchernetes/kernel";
import type { RestMapper } from "../../shared/rest-mapper.ts";

interface Scale {
  readonly uid: string;
  readonly replicas: number;
}

type Scalable = ApiObject & { readonly spec: { readonly replicas?: number } };

/** The result of a lookup. */
export interface ScaleAnswer {
  /** Undefined if the owner is deleted or was replaced by another object with the same name. */
  readonly scale: Scale | undefined;
  /** Set if the result comes from the cache: milliseconds until it expires. */
  readonly keptForMs?: number;
}

/** Looks up the scale of an owner of any kind. */
export type ScaleLookup = (
  owner: OwnerReference & { readonly group: string; readonly version: string },
  namespace: string,
) => Promise<ScaleAnswer>;

/** Lifetime of cached results. */
const cacheMs = 2000;

/** Maximum number of cached results. */
const maxCached = 10_000;

/**
 * Looks up scales through the scale subresource. Results are cached for two seconds, so that many changes of an owner's
 * pods cause only one request. Failures are not cached.
 */
export function createScaleLookup(options: {
  readonly client: Client;
  readonly mapper: RestMapper;
  readonly clock: Clock;
}): ScaleLookup {
  const { client, mapper, clock } = options;
  const kept = new Map<string, { readonly untilMs: number; readonly scale: Promise<Scale | undefined> }>();

  const ask = async (
    { group, version, kind, name, uid }: Parameters<ScaleLookup>[0],
    namespace: string,
  ): Promise<Scale | undefined> => {
    const [resource] = await mapper.mappings({ group, kind }, version);
    if (resource === undefined) return undefined;
    try {
      const scale = await client.resource(resource).namespace(namespace).subresource<Scalable>("scale").get(name);
      return scale.metadata.uid === uid ? { uid, replicas: scale.spec.replicas ?? 0 } : undefined;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      throw new Error(`${kind}.${group} does not implement the scale subresource`, { cause: error });
    }
  };

  return async (owner, namespace) => {
    const nowMs = clock.monotonicMs();
    const known = kept.get(owner.uid);
    if (known !== undefined && known.untilMs > nowMs) {
      return { scale: await known.scale, keptForMs: known.untilMs - nowMs };
    }
    // Entries are ordered by age: the rest is newer.
    for (const [uid, { untilMs }] of kept) {
      if (untilMs > nowMs && kept.size < maxCached) break;
      kept.delete(uid);
    }
    const scale = ask(owner, namespace);
    kept.set(owner.uid, { untilMs: nowMs + cacheMs, scale });
    try {
      return { scale: await scale };
    } catch (error) {
      if (kept.get(owner.uid)?.scale === scale) kept.delete(owner.uid);
      throw error;
    }
  };
}
