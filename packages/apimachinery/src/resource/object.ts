import type { ObjectMeta } from "./object-meta.ts";

/** The common fields of all top-level API objects. */
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

/** An object as read from the server: identity and version are present. */
export type Stored<T extends ApiObject> = T & { readonly metadata: StoredMeta };

/** The key of an object in work queues and listers: `namespace/name`, or `name` for cluster-scoped objects. */
export function keyOf(object: { readonly metadata: Pick<ObjectMeta, "name" | "namespace"> }): string {
  const { namespace, name } = object.metadata;
  return namespace ? `${namespace}/${name ?? ""}` : (name ?? "");
}
