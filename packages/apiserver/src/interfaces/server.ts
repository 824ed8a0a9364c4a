import type { ApiObject, Draft, ResourceDefinition } from "@orchernetes/apimachinery";
import type { UserInfo } from "@orchernetes/auth";
import type { HttpRequest, HttpResponse } from "@orchernetes/kernel";
import type { WatchCache } from "@orchernetes/storage";
import type { RequestInfo } from "./request-info.ts";

/** Bounds that protect the server. */
export interface Limits {
  /** Largest request body. @default 3 MiB */
  readonly maxBodyBytes: number;
  /** Concurrent reads that are not long-running; 0: unlimited. @default 400 */
  readonly maxRequestsInflight: number;
  /** Concurrent writes; 0: unlimited. @default 200 */
  readonly maxMutatingRequestsInflight: number;
  /** Requests that are not long-running get 504 after this. @default 60000 */
  readonly requestTimeoutMs: number;
  /** Watches without timeoutSeconds end after a random time between this and twice this. @default 1800 */
  readonly minRequestTimeoutSeconds: number;
  /** Bytes a second each way on an upgraded connection; 0: unlimited. @default 0 */
  readonly maxConnectionBytesPerSec: number;
}

/** Limits of a server for which the options name no others. */
export const defaultLimits: Limits = {
  maxBodyBytes: 3 * 1024 * 1024,
  maxRequestsInflight: 400,
  maxMutatingRequestsInflight: 200,
  requestTimeoutMs: 60_000,
  minRequestTimeoutSeconds: 1800,
  maxConnectionBytesPerSec: 0,
};

/** One check of `/readyz`, `/livez` and `/healthz`, e.g. `etcd` or `poststarthook/rbac/bootstrap-roles`. */
export interface HealthCheck {
  readonly name: string;
  /** Resolves when healthy; rejects with the reason. */
  check(signal: AbortSignal): Promise<void> | void;
}

/** The context of a request that no resource route serves. It is authenticated and authorized. */
export interface NonResourceContext {
  readonly user: UserInfo;
  readonly requestInfo: RequestInfo;
  readonly auditId: string;
  readonly req: HttpRequest;
  readonly res: HttpResponse;
  readonly signal: AbortSignal;
}

/** A completed request, for logs. Reported once, when the response is complete or has failed. */
export interface CompletedRequest {
  readonly auditId: string;
  readonly requestInfo: RequestInfo;
  readonly user: UserInfo | undefined;
  readonly impersonatedBy: UserInfo | undefined;
  readonly code: number;
  readonly startedMs: number;
  readonly annotations: ReadonlyMap<string, string>;
  readonly decision: string;
  readonly reason: string;
  readonly sourceIp: string;
  readonly userAgent: string;
}

/** Media types of stored objects; all of them can be read, regardless of the one that is written. */
export type StorageMediaType = "application/json" | "application/yaml" | "application/vnd.orchernetes.protobuf";

/** The stored objects of one kind. */
export interface StoredResource {
  /** The definition whose form is stored. */
  readonly definition: ResourceDefinition;
  /** Key prefix with trailing slash. */
  readonly prefix: string;
  readonly cache: WatchCache;
  /** Whether reads are served from the cache; otherwise it is filled only if a part of the server follows the resource. */
  readonly cached: boolean;
}

/** Drops the fields of features that are off. */
export interface DisabledFields {
  /** Removes fields from `object` in place before it is validated, except those that `old` uses already. */
  drop(object: Draft<ApiObject>, old: ApiObject | undefined): void;
}

/**
 * Handles a request before anything else: before authentication, on every path. It may set response headers. It returns
 * true if it has sent the response; the request is then processed no further.
 */
export type HttpFilter = (req: HttpRequest, res: HttpResponse) => boolean;
