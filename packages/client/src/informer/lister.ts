import { type ApiObject, controllerOf, type Stored } from "@orchernetes/apimachinery";

/** Returns the values under which an index contains the object; undefined for none. It must depend on the object alone. */
export type Indexer<T extends ApiObject> = (object: Stored<T>) => string | readonly string[] | undefined;

/** Indexers by the name of their index. */
export type Indexers<T extends ApiObject> = Readonly<Record<string, Indexer<T>>>;

/**
 * Reads an informer's cache. The objects are shared by all readers and must not be modified. The cache lags behind the server,
 * and never goes back in time.
 */
export interface Lister<T extends ApiObject> {
  /** `namespace` is "" for cluster-scoped objects. */
  get(namespace: string, name: string): Stored<T> | undefined;
  /** By `namespace/name`, or `name` for cluster-scoped objects. */
  byKey(key: string): Stored<T> | undefined;
  /** All objects, or those of one namespace, in no particular order. */
  list(namespace?: string): readonly Stored<T>[];
  /** Objects under one value of an index, in no particular order. @throws RangeError when there is no such index */
  byIndex(index: string, value: string): readonly Stored<T>[];
  /** The values that an index has objects for. @throws RangeError when there is no such index */
  indexValues(index: string): readonly string[];
  /** Number of objects. */
  readonly size: number;
}

/** An indexer by the uid of every owner, for garbage collection. */
export const byOwnerUid = (object: ApiObject): readonly string[] | undefined =>
  object.metadata.ownerReferences?.map(({ uid }) => uid);

/**
 * An indexer by the uid of the controller: a controller finds its objects without reading those of the whole
 * namespace.
 */
export const byControllerUid = (object: ApiObject): string | undefined => controllerOf(object)?.uid;
