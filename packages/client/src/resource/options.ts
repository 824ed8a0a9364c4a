/** Options common to all calls. */
export interface CallOptions {
  readonly signal?: AbortSignal;
}

export interface GetOptions extends CallOptions {
  /** "0" allows an answer from any cache, absent asks for the latest. */
  readonly resourceVersion?: string;
}

export interface SelectorOptions {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface ListOptions extends CallOptions, SelectorOptions {
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: "NotOlderThan" | "Exact";
  readonly limit?: number;
  readonly continue?: string;
  readonly timeoutSeconds?: number;
}

export interface WatchOptions extends CallOptions, SelectorOptions {
  /** Events after this version; absent or "" starts with synthetic ADDED events of what is there. */
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: "NotOlderThan" | "Exact";
  readonly allowWatchBookmarks?: boolean;
  readonly sendInitialEvents?: boolean;
  /** The server ends the watch after this time; so does the client, a little later. */
  readonly timeoutSeconds?: number;
}

export interface WriteOptions extends CallOptions {
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict";
}

export interface PatchOptions extends WriteOptions {
  /** @default "merge" */
  readonly type?: PatchType;
  readonly subresource?: string;
  /** For `apply`: takes fields over from other managers. */
  readonly force?: boolean;
}

export interface DeleteOptions extends CallOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: "Orphan" | "Background" | "Foreground";
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly dryRun?: boolean;
}

export type PatchType = "json" | "merge" | "strategic" | "apply";

/** Media type of each patch. */
export const patchMediaTypes: Readonly<Record<PatchType, string>> = Object.freeze({
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
});
