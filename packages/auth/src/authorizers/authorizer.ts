import type { UserInfo } from "./user-info.ts";

/** What is to be done, by whom. For non-resource requests only `user`, `verb` and `path` say something. */
export interface Attributes {
  readonly user: UserInfo;
  /** `get`, `list`, …, or the lower case HTTP method for non-resource requests. */
  readonly verb: string;
  /** "" for cluster-scoped requests. */
  readonly namespace: string;
  readonly apiGroup: string;
  readonly apiVersion: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  readonly path: string;
  readonly resourceRequest: boolean;
}

/** An authorizer's answer. `reason` appears in the 403 message (Deny, NoOpinion) or the audit log (Allow). */
export type Decision =
  | { readonly type: "Allow"; readonly reason?: string }
  /** No further authorizer is asked. */
  | { readonly type: "Deny"; readonly reason?: string }
  /** The next authorizer is asked; when none is left the request is forbidden. */
  | { readonly type: "NoOpinion"; readonly reason?: string };

/** Decides who may do what. An error thrown is answered with 500 and grants nothing. */
export interface Authorizer {
  authorize(attributes: Attributes): Decision | Promise<Decision>;
}
