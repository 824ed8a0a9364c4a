/** Options common to all calls. */
export interface CallOptions {
  /** Aborts the request, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** Options of get. */
export interface GetOptions extends CallOptions {
  /** "0" accepts any cached version, undefined requires the latest one. */
  readonly resourceVersion?: string;
}

/** Restricts a list or a watch to objects that match both selectors, in their text form such as `app=web,tier!=db`. */
export interface SelectorOptions {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** Options of list; see "Resource versions" in the API concepts for `resourceVersion` and `resourceVersionMatch`. */
export interface ListOptions extends CallOptions, SelectorOptions {
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: "NotOlderThan" | "Exact";
  /** Items of a page; the server may return fewer. Without it the list is one page. */
  readonly limit?: number;
  /** The token of the previous page. It expires with the history of the store (5 minutes by default), after which the server responds with 410. */
  readonly continue?: string;
  readonly timeoutSeconds?: number;
}

/** Options of watch. */
export interface WatchOptions extends CallOptions, SelectorOptions {
  /** The watch starts after this version; undefined or "" starts with synthetic ADDED events for all existing objects. */
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: "NotOlderThan" | "Exact";
  /** Asks for BOOKMARK events, which keep the last seen version recent while nothing changes (KEP-956). */
  readonly allowWatchBookmarks?: boolean;
  /** Starts with ADDED events for all objects and a bookmark after them (KEP-3157). */
  readonly sendInitialEvents?: boolean;
  /** The server ends the watch after this time; the client does so 30 s later if the server has not. */
  readonly timeoutSeconds?: number;
}

/** Options of create and update. */
export interface WriteOptions extends CallOptions {
  /** Whether everything but the write to the store takes place. */
  readonly dryRun?: boolean;
  /** Owner of the fields in `managedFields`. @default the beginning of the user agent */
  readonly fieldManager?: string;
  /** What the server does about unknown and repeated fields (KEP-2885). */
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict";
}

/** Options of patch. */
export interface PatchOptions extends WriteOptions {
  /** @default "merge" */
  readonly type?: PatchType;
  /** Such as `status`. @default the object itself */
  readonly subresource?: string;
  /** For `apply`: takes fields that other managers own, instead of failing with a conflict. */
  readonly force?: boolean;
}

/** Options of delete. Without `propagationPolicy` the default of the resource applies. */
export interface DeleteOptions extends CallOptions {
  /** 0 deletes at once. Without it the object's own grace period applies. */
  readonly gracePeriodSeconds?: number;
  /** What happens to dependents: they lose their owner, are deleted later, or are deleted first. */
  readonly propagationPolicy?: "Orphan" | "Background" | "Foreground";
  /** If the object differs, the server responds with 409. This protects an object that was created again under the same name. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly dryRun?: boolean;
}

/** JSON patch (RFC 6902), JSON merge patch (RFC 7386), strategic merge patch, or server-side apply. */
export type PatchType = "json" | "merge" | "strategic" | "apply";

/** The media type of each type of patch. */
export const patchMediaTypes: Readonly<Record<PatchType, string>> = Object.freeze({
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
});
