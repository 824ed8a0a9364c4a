import type { UserInfo } from "../user.ts";

/** What a user wants to do. For non-resource requests only `user`, `verb` and `path` have a meaning. */
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

/** Annotations of the audit events of the request; keys have the form `domain/name`. */
interface Annotated {
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Decision of an authorizer. `reason` appears in the 403 message (Deny, NoOpinion) and the audit log. */
export type Decision =
  | ({ readonly type: "Allow"; readonly reason?: string } & Annotated)
  /** No further authorizer is asked. */
  | ({ readonly type: "Deny"; readonly reason?: string } & Annotated)
  /** The next authorizer is asked; if none is left, the request is forbidden. */
  | {
      readonly type: "NoOpinion";
      readonly reason?: string;
      /** Why authorizers could not decide. If no other authorizer allows the request, it fails with 500 instead of 403. */
      readonly errors?: readonly unknown[];
    };

/** Decides who may do what. An error thrown counts as NoOpinion with that error: it grants nothing. */
export interface Authorizer {
  authorize(attributes: Attributes): Decision | Promise<Decision>;
}

/** The shared decision of authorizers that have nothing to say. */
export const NO_OPINION: Decision = Object.freeze({ type: "NoOpinion" });

/** Attributes of a request for a path outside the resource API. */
export function pathAttributes(user: UserInfo, verb: string, path: string): Attributes {
  return {
    user,
    verb,
    path,
    namespace: "",
    apiGroup: "",
    apiVersion: "",
    resource: "",
    subresource: "",
    name: "",
    resourceRequest: false,
  };
}
