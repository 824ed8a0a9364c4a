import type { IncomingHttpHeaders } from "node:http";
import type { WithHeaders } from "@orchernetes/apimachinery";
import type { OnConnection } from "@orchernetes/kernel";
import type { UserInfo } from "../user.ts";

/** The part of a request that credentials are read from: its headers and its connection. */
export interface AuthRequest extends OnConnection, WithHeaders {
  readonly headers: IncomingHttpHeaders;
}

/** The caller is known. */
export interface AuthenticatedResult {
  readonly type: "authenticated";
  readonly user: UserInfo;
  /** Audiences of the token that the server accepts. */
  readonly audiences?: readonly string[];
  /** What the caller should know about the credentials; sent in `Warning` headers. */
  readonly warnings?: readonly string[];
  /** What is recorded about the credentials with the request. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** The credentials are invalid. The reason is logged, never sent. */
export interface RejectedResult {
  readonly type: "rejected";
  readonly reason: string;
}

/** What an authenticator found in a request. */
export type AuthResult =
  | AuthenticatedResult
  /** The request has no credentials of this kind: the next authenticator is asked; if none is left, it is anonymous. */
  | { readonly type: "noOpinion"; readonly warnings?: readonly string[] }
  /** 401, unless another authenticator accepts the request. */
  | RejectedResult;

/**
 * Determines who makes a request. Reads headers and the TLS peer only: never the body, and never responds.
 * An error thrown counts as a rejection and is logged.
 */
export interface Authenticator {
  authenticate(request: AuthRequest): AuthResult | Promise<AuthResult>;
}
