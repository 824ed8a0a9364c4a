import { core } from "@orchernetes/api";
import type { LastKnown } from "./last-known.ts";
import type { ObjectSource } from "./object-source.ts";

/**
 * Reads the objects that a pod's environment and volumes refer to. The result is undefined if the object does not
 * exist.
 */
export interface ObjectReader {
  configMap(namespace: string, name: string): Promise<core.ConfigMap | undefined>;
  secret(namespace: string, name: string): Promise<core.Secret | undefined>;
}

/** Creates the reader of each pod. */
export interface ObjectReaders {
  of(podUid: string): ObjectReader;
  /** Releases the pod's objects. */
  forget(podUid: string): void;
}

/**
 * Reads config maps and secrets by name: the node authorizer does not allow nodes to list them all. While the server is unavailable, a pod
 * gets the last known object.
 */
export function createObjectReaders(source: ObjectSource, lastKnown: LastKnown): ObjectReaders {
  return {
    of: (podUid) => ({
      configMap: (namespace, name) =>
        lastKnown.read(podUid, `configmap/${namespace}/${name}`, () =>
          source.find<core.ConfigMap>({ ref: core.configMaps, namespace, name, podUid }),
        ),
      secret: (namespace, name) =>
        lastKnown.read(podUid, `secret/${namespace}/${name}`, () =>
          source.find<core.Secret>({ ref: core.secrets, namespace, name, podUid }),
        ),
    }),
    forget(podUid) {
      lastKnown.forget(podUid);
      source.forget(podUid);
    },
  };
}

/** Readers for an agent without an API server, which has no objects. */
export const noObjects: ObjectReaders = Object.freeze({
  of: () => ({ configMap: async () => undefined, secret: async () => undefined }),
  forget: () => undefined,
});
