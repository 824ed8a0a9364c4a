import type { ObjectMeta } from "./object-meta.ts";

/** What every top-level API object has. */
export interface ApiObject {
  readonly kind?: string | undefined;
  readonly apiVersion?: string | undefined;
  readonly metadata: ObjectMeta;
}

/** Metadata of an object that a server has stored. */
export interface StoredMeta extends ObjectMeta {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly creationTimestamp: string;
}

/** An object as read from the server: identity and version are there. */
export type Stored<T extends ApiObject> = T & { readonly metadata: StoredMeta };

/** `namespace/name`, or `name` for cluster-scoped objects: the key of work queues and listers. */
export function keyOf(object: { readonly metadata: Pick<ObjectMeta, "name" | "namespace"> }): string {
  const { namespace, name } = object.metadata;
  return namespace ? `${namespace}/${name ?? ""}` : (name ?? "");
}
