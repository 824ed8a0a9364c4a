import { type ApiObject, apiVersionOf, type ListMeta, type Status, type Stored } from "@orchernetes/apimachinery";
import type { RawRequest, Requester } from "../transport/requester.ts";
import {
  type CallOptions,
  type DeleteOptions,
  type GetOptions,
  type ListOptions,
  type PatchOptions,
  patchMediaTypes,
  type SelectorOptions,
  type WatchOptions,
  type WriteOptions,
} from "./options.ts";
import { type Manifest, type ObjectList, type ResourceRef, resourcePath, type WatchEvent } from "./resource-ref.ts";
import { flatten, watchBatches } from "./watch.ts";

/**
 * Typed access to one resource. Objects of a namespaced resource are in the namespace of {@link ResourceClient.namespace}; writes
 * may omit it and use the namespace of the object. Every call throws the errors of {@link Client.request}.
 */
export interface ResourceClient<T extends ApiObject> {
  readonly ref: ResourceRef<T>;
  /** Returns the same resource in one namespace; "" is all namespaces, for list and watch. */
  namespace(namespace: string): ResourceClient<T>;
  get(name: string, options?: GetOptions): Promise<Stored<T>>;
  /** Resolves with one page: all objects if `limit` is not set. */
  list(options?: ListOptions): Promise<ObjectList<T>>;
  /** Resolves with all items, read in pages of `limit` (default 500) at one resourceVersion. */
  listAll(options?: Omit<ListOptions, "continue">): Promise<ObjectList<T>>;
  /** Creates the object and resolves with it as stored: defaulted, and changed by admission. */
  create(object: T | Manifest<T>, options?: WriteOptions): Promise<Stored<T>>;
  /**
   * Replaces the object. If it contains a resourceVersion that is no longer current, the server responds with 409
   * Conflict; the caller must then read the object again and repeat its change.
   */
  update(object: T, options?: WriteOptions): Promise<Stored<T>>;
  /** Replaces only the status; other fields of the object are ignored by the server. */
  updateStatus(object: T, options?: WriteOptions): Promise<Stored<T>>;
  /** Changes parts of the object. Unlike {@link ResourceClient.update} it needs no resourceVersion. */
  patch(name: string, patch: unknown, options?: PatchOptions): Promise<Stored<T>>;
  /** Resolves with the object if it still exists (finalizers, grace period), otherwise with a Status or the deleted object. */
  delete(name: string, options?: DeleteOptions): Promise<Stored<T> | Status>;
  /** Deletes all objects that match, one by one on the server: it is not atomic. */
  deleteCollection(selector?: SelectorOptions, options?: DeleteOptions): Promise<unknown>;
  /** Yields events until the server ends the watch. @throws ApiError 410 when the events after that version are compacted */
  watch(options?: WatchOptions): AsyncIterable<WatchEvent<T>>;
  /** As {@link ResourceClient.watch}, but yields batches of events as they arrive, which is cheaper when there are many. */
  watchBatches(options?: WatchOptions): AsyncIterable<readonly WatchEvent<T>[]>;
  /** Returns access to a subresource such as `scale`; its objects have type `S`. */
  subresource<S = unknown>(subresource: string): SubresourceClient<S>;
}

/** Access to a subresource of an object: scale, token, binding, eviction, … */
export interface SubresourceClient<S> {
  get(name: string, options?: CallOptions): Promise<S>;
  create(name: string, body: unknown, options?: WriteOptions): Promise<S>;
  update(name: string, body: unknown, options?: WriteOptions): Promise<S>;
  patch(name: string, patch: unknown, options?: PatchOptions): Promise<S>;
}

type Query = NonNullable<RawRequest["query"]>;

const writeQuery = (options: WriteOptions | undefined): Query | undefined =>
  options === undefined
    ? undefined
    : {
        dryRun: options.dryRun ? "All" : undefined,
        fieldManager: options.fieldManager,
        fieldValidation: options.fieldValidation,
      };

const patchQuery = (options: PatchOptions): Query => ({ ...writeQuery(options), force: options.force });

const listQuery = ({ signal: _, ...query }: ListOptions): Query => query;

const signalOf = (options: CallOptions | undefined): { readonly signal?: AbortSignal } =>
  options?.signal === undefined ? {} : { signal: options.signal };

/** The body of DELETE; undefined when only defaults apply. */
function deleteBody({ signal: _, dryRun, ...options }: DeleteOptions): unknown {
  if (!dryRun && Object.keys(options).length === 0) return undefined;
  return { kind: "DeleteOptions", apiVersion: "v1", ...options, ...(dryRun ? { dryRun: ["All"] } : {}) };
}

/** @internal The client makes these; see `Client.resource`. */
export function createResourceClient<T extends ApiObject>(
  client: Requester,
  ref: ResourceRef<T>,
  namespace?: string,
): ResourceClient<T> {
  const apiVersion = apiVersionOf(ref);
  const pathOf = (name?: string, subresource?: string, objectNamespace?: string): string =>
    resourcePath(ref, ref.scope === "Namespaced" ? (namespace ?? objectNamespace) : undefined, name, subresource);

  const nameOf = (object: ApiObject): string => {
    const { name } = object.metadata;
    if (name) return name;
    throw new TypeError(`updating a ${ref.kind}: metadata.name is missing`);
  };
  /** Adds `kind` and `apiVersion`: items of lists do not have them, but the server requires them. */
  const typed = <O extends object>(object: O): O =>
    "kind" in object && object.kind && "apiVersion" in object && object.apiVersion
      ? object
      : { ...object, kind: ref.kind, apiVersion };

  const request = <R>(raw: RawRequest): Promise<R> => client.request(raw) as Promise<R>;
  const write = <R>(
    method: "POST" | "PUT",
    path: string,
    body: unknown,
    options: WriteOptions | undefined,
  ): Promise<R> => {
    const query = writeQuery(options);
    return request({ method, path, body, ...(query === undefined ? {} : { query }), ...signalOf(options) });
  };
  const patch = <R>(path: string, body: unknown, options: PatchOptions): Promise<R> =>
    request({
      method: "PATCH",
      path,
      body,
      query: patchQuery(options),
      contentType: patchMediaTypes[options.type ?? "merge"],
      ...signalOf(options),
    });
  const remove = <R>(path: string, options: DeleteOptions, query?: Query): Promise<R> => {
    const body = deleteBody(options);
    return request({
      method: "DELETE",
      path,
      ...(query === undefined ? {} : { query }),
      ...(body === undefined ? {} : { body }),
      ...signalOf(options),
    });
  };
  const list = (options: ListOptions): Promise<ObjectList<T>> =>
    request<ObjectList<T>>({ method: "GET", path: pathOf(), query: listQuery(options), ...signalOf(options) });

  return {
    ref,
    namespace: (name) => createResourceClient(client, ref, name),
    get: (name, options) =>
      request({
        method: "GET",
        path: pathOf(name),
        ...(options?.resourceVersion === undefined ? {} : { query: { resourceVersion: options.resourceVersion } }),
        ...signalOf(options),
      }),
    list: (options = {}) => list(options),
    listAll: (options = {}) => listPages(list, options),
    create: (object, options) =>
      write("POST", pathOf(undefined, undefined, (object as ApiObject).metadata?.namespace), typed(object), options),
    update: (object, options) =>
      write("PUT", pathOf(nameOf(object), undefined, object.metadata.namespace), typed(object), options),
    updateStatus: (object, options) =>
      write("PUT", pathOf(nameOf(object), "status", object.metadata.namespace), typed(object), options),
    patch: (name, body, options = {}) => patch(pathOf(name, options.subresource), body, options),
    delete: (name, options = {}) => remove(pathOf(name), options),
    deleteCollection: ({ labelSelector, fieldSelector } = {}, options = {}) =>
      remove(pathOf(), options, { labelSelector, fieldSelector }),
    watch: (options = {}) => flatten(watchBatches<T>(client, pathOf(), options)),
    watchBatches: (options = {}) => watchBatches<T>(client, pathOf(), options),
    subresource: <S>(subresource: string): SubresourceClient<S> => ({
      get: (name, options) => request({ method: "GET", path: pathOf(name, subresource), ...signalOf(options) }),
      create: (name, body, options) => write("POST", pathOf(name, subresource), body, options),
      update: (name, body, options) => write("PUT", pathOf(name, subresource), body, options),
      patch: (name, body, options = {}) => patch(pathOf(name, subresource), body, options),
    }),
  };
}

/** Reads all pages of one version. */
async function listPages<T extends ApiObject>(
  list: (options: ListOptions) => Promise<ObjectList<T>>,
  options: Omit<ListOptions, "continue">,
): Promise<ObjectList<T>> {
  const items: Stored<T>[] = [];
  let metadata: ListMeta | undefined;
  let token: string | undefined;
  do {
    const page: ObjectList<T> = await list(
      token === undefined
        ? { limit: 500, ...options }
        : {
            ...options,
            // A continue token fixes the version; naming one beside it is rejected.
            resourceVersion: "",
            limit: options.limit ?? 500,
            continue: token,
          },
    );
    for (const item of page.items ?? []) items.push(item);
    metadata = page.metadata;
    token = page.metadata.continue || undefined;
  } while (token !== undefined);
  return { metadata, items };
}
