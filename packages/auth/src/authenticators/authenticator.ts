import type { HttpRequest } from "@orchernetes/kernel";
import type { UserInfo } from "./user-info.ts";

/** The caller is known. */
export interface AuthenticatedResult {
  readonly type: "authenticated";
  readonly user: UserInfo;
  /** Those of the token that the server shares. */
  readonly audiences?: readonly string[];
  /** What the caller should know about the credentials; comes in `Warning` headers. */
  readonly warnings?: readonly string[];
  /** What is recorded about the credentials with the request. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** What an authenticator found in a request. */
export type AuthResult =
  | AuthenticatedResult
  /** The request carries nothing this authenticator understands: the next one is asked; when none is left, it is anonymous. */
  | { readonly type: "noOpinion"; readonly warnings?: readonly string[] }
  /** The credentials are invalid: 401, unless another authenticator accepts the request. The reason is logged, never sent. */
  | { readonly type: "rejected"; readonly reason: string };

/**
 * Tells who makes a request. Looks at headers and the TLS peer only: never reads the body, never answers.
 * An error thrown counts as a rejection and is logged.
 */
export interface Authenticator {
  authenticate(request: HttpRequest): AuthResult | Promise<AuthResult>;
}
