import type { Attributes, UserInfo } from "@orchernetes/auth";

/**
 * The meaning of a request, determined from its method, path and query alone (upstream: `RequestInfo`). Authentication,
 * authorization, audit and flow control work with it, so it must not depend on what is served or stored.
 */
export interface RequestInfo {
  /** Whether the path has the form of an API resource path, `/api/v1/…` or `/apis/<group>/<version>/…`. */
  readonly isResourceRequest: boolean;
  /** The path without query, as sent (percent-encoding kept). */
  readonly path: string;
  /**
   * For resource requests: get, list, watch, create, update, patch, delete, deletecollection.
   * Otherwise the HTTP method in lower case.
   */
  readonly verb: string;
  /** `api`, `apis`, or "". */
  readonly apiPrefix: string;
  readonly apiGroup: string;
  readonly apiVersion: string;
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  /** Path segments from the resource on, decoded; those after the subresource are a proxy path. */
  readonly parts: readonly string[];
  /** Whether the path used the deprecated `/watch/` form. */
  readonly watchPath: boolean;
  /** The text after `?`, "" without one. */
  readonly query: string;
}

/** What a request must be authorized for. */
export function attributesOf(user: UserInfo, info: RequestInfo): Attributes {
  return {
    user,
    verb: info.verb,
    namespace: info.namespace,
    apiGroup: info.apiGroup,
    apiVersion: info.apiVersion,
    resource: info.resource,
    subresource: info.subresource,
    name: info.name,
    path: info.path,
    resourceRequest: info.isResourceRequest,
  };
}

const readOnlyVerbs: ReadonlySet<string> = new Set(["get", "list", "watch", "head", "options"]);

/** Whether a request only reads. */
export function isReadOnly(info: RequestInfo): boolean {
  return readOnlyVerbs.has(info.verb);
}
