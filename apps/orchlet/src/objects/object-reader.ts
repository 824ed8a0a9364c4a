import { core } from "@orchernetes/api";
import { type ApiObject, isNotFound, type Stored } from "@orchernetes/apimachinery";
import type { Client, ResourceRef } from "@orchernetes/client";
import type { Clock } from "@orchernetes/kernel";
import type { LastKnown } from "./last-known.ts";

/**
 * Reads the objects that a pod's environment and volumes refer to. The result is undefined if the object does not
 * exist.
 */
export interface ObjectReader {
  configMap(namespace: string, name: string): Promise<core.ConfigMap | undefined>;
  secret(namespace: string, name: string): Promise<core.Secret | undefined>;
}

/**
 * Time for which a result is reused, so that the containers and volumes of a pod that refer to one object share a
 * request.
 */
const cacheMs = 1000;

/** Creates the reader of each pod. */
export interface ObjectReaders {
  of(podUid: string): ObjectReader;
  /** Releases the pod's objects. */
  forget(podUid: string): void;
}

/**
 * Reads config maps and secrets by name: the node authorizer does not allow nodes to list them. Concurrent reads share
 * one request. While the server is unavailable, a pod gets the last known object.
 */
export function createObjectReaders(client: Client, lastKnown: LastKnown, clock: Clock): ObjectReaders {
  const recent = new Map<string, { readonly atMs: number; readonly value: Promise<ApiObject | undefined> }>();

  const read = async <T extends ApiObject>(
    ref: ResourceRef<T>,
    namespace: string,
    name: string,
  ): Promise<T | undefined> => {
    const key = `${ref.plural}/${namespace}/${name}`;
    const nowMs = clock.monotonicMs();
    const known = recent.get(key);
    if (known !== undefined && nowMs - known.atMs < cacheMs) return (await known.value) as T | undefined;
    for (const [other, { atMs }] of recent) if (nowMs - atMs >= cacheMs) recent.delete(other);
    const value = get(client, ref, namespace, name);
    recent.set(key, { atMs: nowMs, value });
    value.catch(() => recent.delete(key));
    return value;
  };

  return {
    of: (uid) => ({
      configMap: (namespace, name) =>
        lastKnown.read(uid, `configmap/${namespace}/${name}`, () =>
          read<core.ConfigMap>(core.configMaps, namespace, name),
        ),
      secret: (namespace, name) =>
        lastKnown.read(uid, `secret/${namespace}/${name}`, () => read<core.Secret>(core.secrets, namespace, name)),
    }),
    forget: (uid) => lastKnown.forget(uid),
  };
}

async function get<T extends ApiObject>(
  client: Client,
  ref: ResourceRef<T>,
  namespace: string,
  name: string,
): Promise<Stored<T> | undefined> {
  try {
    return await client.resource(ref).namespace(namespace).get(name);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Readers for an agent without an API server, which has no objects. */
export const noObjects: ObjectReaders = Object.freeze({
  of: () => ({ configMap: async () => undefined, secret: async () => undefined }),
  forget: () => undefined,
});
