/** Options common to all calls. */
export interface CallOptions {
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
  readonly limit?: number;
  readonly continue?: string;
  readonly timeoutSeconds?: number;
}

/** Options of watch. */
export interface WatchOptions extends CallOptions, SelectorOptions {
  /** The watch starts after this version; undefined or "" starts with synthetic ADDED events for all existing objects. */
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: "NotOlderThan" | "Exact";
  readonly allowWatchBookmarks?: boolean;
  readonly sendInitialEvents?: boolean;
  /** The server ends the watch after this time; the client does so 30 s later if the server has not. */
  readonly timeoutSeconds?: number;
}

/** Options of create and update. */
export interface WriteOptions extends CallOptions {
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict";
}

/** Options of patch. */
export interface PatchOptions extends WriteOptions {
  /** @default "merge" */
  readonly type?: PatchType;
  readonly subresource?: string;
  /** For `apply`: takes fields that other managers own, instead of failing with a conflict. */
  readonly force?: boolean;
}

/** Options of delete. Without `propagationPolicy` the default of the resource applies. */
export interface DeleteOptions extends CallOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: "Orphan" | "Background" | "Foreground";
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
