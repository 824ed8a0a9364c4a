import type { ApiError, ApiObject, Draft, ResourceDefinition, Stored } from "@orchernetes/apimachinery";
import type { UserInfo } from "@orchernetes/auth";
import type { HttpRequest } from "@orchernetes/kernel";
import type { RequestInfo } from "./request-info.ts";

/** Names one object of a resource; `namespace` is "" for cluster-scoped ones. */
export interface ObjectRef {
  readonly namespace: string;
  readonly name: string;
}

/** Options of programmatic writes. */
export interface WriteOptions {
  /** Who writes; default the server itself. */
  readonly user?: UserInfo;
  /** Whether admission plugins run. @default false */
  readonly admission?: boolean;
  /** Runs everything but the commit. @default false */
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
  readonly signal?: AbortSignal;
  readonly warn?: (message: string) => void;
  /** The request's own options object, as admission shows it. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** @default the write depends on no other object */
  readonly condition?: WriteCondition;
}

/**
 * A condition on another stored object at the moment of a write. It is checked by the store's commit if both resources are
 * in one store, and neither is encrypted; otherwise immediately before it.
 */
export interface WriteCondition {
  readonly definition: ResourceDefinition;
  readonly ref: ObjectRef;
  /** Whether the write may happen; undefined: there is no such object. Called with the cached object first. */
  readonly holds: (object: ApiObject | undefined) => boolean;
  /** The error of a write that must not happen. */
  readonly error: () => ApiError;
}

/**
 * The condition that a request puts on its write, such as by a header; undefined for most. Called for each write.
 *
 * @throws ApiError BadRequest for a condition that cannot be read
 */
export type WriteConditionOf = (request: HttpRequest, info: RequestInfo) => WriteCondition | undefined;

/** Options of programmatic updates. */
export interface UpdateOptions extends WriteOptions {
  /** Updates through this subresource's strategy (e.g. `status`) instead of the main one. */
  readonly subresource?: string;
  /** Rejects with 409 unless the stored object has this uid. */
  readonly uid?: string;
  /** Skips strategy hooks and validation: for bookkeeping of the server itself. @default false */
  readonly bare?: boolean;
}

/** Options of programmatic deletes, as in DeleteOptions. */
export interface DeleteOptions extends WriteOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: "Orphan" | "Background" | "Foreground";
  readonly orphanDependents?: boolean;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

/** Result of a delete. */
export interface DeleteResult<T extends ApiObject> {
  /** Whether the object is removed; otherwise it waits for its grace period or finalizers. */
  readonly removed: boolean;
  /** The object as last stored. */
  readonly object: Stored<T>;
}

/** Which objects a read or watch is about. */
export interface Selection {
  /** Absent: all namespaces. */
  readonly namespace?: string;
  /** Label selector text. */
  readonly labelSelector?: string;
  /** Field selector text. */
  readonly fieldSelector?: string;
}

/** A change as {@link ResourceStore.follow} reports it. */
export interface ObjectEvent<T extends ApiObject> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  /** Empty for a resource without namespaces. */
  readonly namespace: string;
  readonly name: string;
  /** Its selectable fields, which are known without decoding the object. */
  readonly fields: Readonly<Record<string, string>>;
  /** Decoded on first use. */
  readonly object: Stored<T>;
}

/**
 * Typed access to the stored objects of one resource, for subresource handlers, admission plugins, authorizers and
 * bootstrap. Objects returned are shared and deep readonly. All methods reject with an ApiError.
 */
export interface ResourceStore<T extends ApiObject = ApiObject> {
  readonly definition: ResourceDefinition<T>;
  /** The current object. @throws ApiError NotFound */
  get(ref: ObjectRef, options?: { readonly signal?: AbortSignal }): Promise<Stored<T>>;
  /**
   * The object as the watch cache has it, perhaps a moment old; decoded once per revision. Undefined does not mean that
   * there is no such object: there may be no cache, or the cache may be behind. Use it where a wrong "no" is harmless.
   */
  cached(ref: ObjectRef): Stored<T> | undefined;
  /** All selected objects in their current state, in key order. */
  list(selection?: Selection): Promise<{ readonly items: readonly Stored<T>[]; readonly resourceVersion: string }>;
  /**
   * Like {@link list} from the watch cache, so the objects may be a moment old. If there is no cache, the store is
   * read.
   */
  recentList(selection?: Selection): readonly Stored<T>[] | Promise<readonly Stored<T>[]>;
  /**
   * Calls `onEvent` with every object that exists, then `onSynced`, then `onEvent` with each change in order, until
   * `signal` is aborted.
   *
   * When the watch ends it starts another one and reports the difference to what was reported before, so events are
   * complete but may skip intermediate states. Calls are synchronous and never overlap. An exception of `onEvent` is
   * logged, and the next event follows.
   */
  follow(
    listener: {
      readonly onEvent: (event: ObjectEvent<T>) => void;
      readonly onSynced?: () => void;
    },
    signal: AbortSignal,
  ): void;
  /**
   * Runs defaults, strategy, validation and (if requested) admission, then stores the object. @throws ApiError
   * AlreadyExists, Invalid, …
   */
  create(object: T, options?: WriteOptions): Promise<Stored<T>>;
  /**
   * Reads the object, applies `change` to a private copy, and stores it. After a conflict with another writer it starts
   * over with the newest object, so `change` may be called several times. A copy with another resourceVersion than the
   * stored one is rejected with Conflict. If `change` returns false, nothing is stored.
   */
  update(
    ref: ObjectRef,
    change: (draft: Draft<T>, current: Stored<T>) => unknown,
    options?: UpdateOptions,
  ): Promise<Stored<T>>;
  /**
   * Deletes an object, immediately or in steps (grace period, finalizers); the result says which. @throws ApiError
   * NotFound, Conflict
   */
  delete(ref: ObjectRef, options?: DeleteOptions): Promise<DeleteResult<T>>;
}

/** All resources of a server. */
export interface Registry {
  /**
   * Increased with each change of what is served. Results computed from the definitions are valid as long as it stays
   * the same.
   */
  readonly generation: number;
  /**
   * The store of a definition that the server serves, or would serve if the configuration did not switch it off: the
   * server's own parts need what is stored in any case.
   *
   * @throws Error for other definitions, which is a mistake in the program
   */
  forDefinition<T extends ApiObject>(definition: ResourceDefinition<T>): ResourceStore<T>;
  /** The store of a served resource. */
  lookup(group: string, version: string, plural: string): ResourceStore | undefined;
  /** The store of a served kind. */
  lookupKind(group: string, version: string, kind: string): ResourceStore | undefined;
  /** Every definition served now, in the order they were added. */
  definitions(): readonly ResourceDefinition[];
  /** Starts serving resources (custom resources). Replaces definitions of the same group, version and plural. */
  add(definitions: readonly ResourceDefinition[]): void;
  /** Stops serving resources: requests get 404, and a second later watches end. */
  remove(definitions: readonly ResourceDefinition[]): void;
}
