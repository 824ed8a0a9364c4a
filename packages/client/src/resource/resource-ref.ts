import type { ApiObject, ListMeta, Stored } from "@orchernetes/apimachinery";

/**
 * What the client must know about a resource: where it is served and, only as a type, the shape of its objects. Every
 * `ResourceDefinition` is a `ResourceRef`.
 */
export interface ResourceRef<T extends ApiObject = ApiObject> {
  /** "" is the core group. */
  readonly group: string;
  readonly version: string;
  /** Lower-case plural name, as in paths: `configmaps`. */
  readonly plural: string;
  readonly kind: string;
  readonly scope: "Namespaced" | "Cluster";
  /** Carries the type `T`; it is never read at run time. */
  readonly schema?: { readonly "~type"?: T };
}

/** Path of an API group and version: `/api/v1`, or `/apis/GROUP/VERSION`. */
export function groupVersionPath(ref: Pick<ResourceRef, "group" | "version">): string {
  return ref.group === "" ? `/api/${ref.version}` : `/apis/${ref.group}/${ref.version}`;
}

/**
 * Path of a collection, or of an object when `name` is given, or of a subresource. Namespace and name are
 * percent-encoded.
 *
 * @param namespace undefined or "" for cluster-scoped objects and collections of all namespaces
 */
export function resourcePath(
  ref: Pick<ResourceRef, "group" | "version" | "plural">,
  namespace: string | undefined,
  name?: string,
  subresource?: string,
): string {
  let path = groupVersionPath(ref);
  if (namespace) path += `/namespaces/${encodeURIComponent(namespace)}`;
  path += `/${ref.plural}`;
  if (name !== undefined) path += `/${encodeURIComponent(name)}`;
  if (subresource !== undefined) path += `/${subresource}`;
  return path;
}

/** One page of a collection. */
export interface ObjectList<T extends ApiObject> {
  readonly kind?: string | undefined;
  readonly apiVersion?: string | undefined;
  readonly metadata: ListMeta;
  /** In key order. Items of built-in kinds have no `kind` and `apiVersion`. */
  readonly items: readonly Stored<T>[];
}

/** One event of a watch. A failure of the watch is thrown, not yielded. */
export type WatchEvent<T extends ApiObject> =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: Stored<T> }
  /**
   * Reports only the progress of the watch: the object contains a resourceVersion and nothing else. Resuming from it
   * is cheaper than from the last event, and possible for longer.
   */
  | { readonly type: "BOOKMARK"; readonly object: BookmarkObject };

/** The object of a BOOKMARK event. */
export interface BookmarkObject {
  readonly metadata: {
    readonly resourceVersion: string;
    readonly annotations?: Readonly<Record<string, string>> | undefined;
  };
}

/** An object as a client writes it: fields that the server sets are optional. */
export type Manifest<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends readonly (infer U)[]
    ? readonly Manifest<U>[]
    : T extends object
      ? { readonly [K in keyof T]?: Manifest<T[K]> }
      : T;
