import { type ApiObject, isNotFound, type OwnerReference } from "@orchernetes/apimachinery";
import type { Client } from "@orchernetes/client";
import type { Clock } from "@orchernetes/kernel";
import type { RestMapper } from "../../shared/rest-mapper.ts";

interface Scale {
  readonly uid: string;
  readonly replicas: number;
}

type Scalable = ApiObject & { readonly spec: { readonly replicas?: number } };

export interface ScaleAnswer {
  /** Undefined when the owner is deleted or was replaced by another object of the same name. */
  readonly scale: Scale | undefined;
  /** Set if the answer comes from the cache: milliseconds after which to ask again. */
  readonly keptForMs?: number;
}

/** The scale of an owner of any kind. */
export type ScaleLookup = (
  owner: OwnerReference & { readonly group: string; readonly version: string },
  namespace: string,
) => Promise<ScaleAnswer>;

const keptMs = 2000;

const maxKept = 10_000;

/**
 * Looks up scales through the scale subresource. Answers are cached for two seconds, so that many changes of one owner's pods make one
 * request; failures are not cached.
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
      if (untilMs > nowMs && kept.size < maxKept) break;
      kept.delete(uid);
    }
    const scale = ask(owner, namespace);
    kept.set(owner.uid, { untilMs: nowMs + keptMs, scale });
    try {
      return { scale: await scale };
    } catch (error) {
      if (kept.get(owner.uid)?.scale === scale) kept.delete(owner.uid);
      throw error;
    }
  };
}
