import type { IncomingHttpHeaders } from "node:http";
import type { WithHeaders } from "@orchernetes/apimachinery";
import type { OnConnection } from "@orchernetes/kernel";
import type { UserInfo } from "../user.ts";

/** The parts of a request that contain credentials: its headers and its connection. */
export interface AuthRequest extends OnConnection, WithHeaders {
  readonly headers: IncomingHttpHeaders;
}

/** The credentials are valid. */
export interface AuthenticatedResult {
  readonly type: "authenticated";
  readonly user: UserInfo;
  /** Audiences of the token that the server accepts. */
  readonly audiences?: readonly string[];
  /** Warnings for the client about its credentials, which are sent in `Warning` headers. */
  readonly warnings?: readonly string[];
  /** Annotations of the audit event, about the credentials. */
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
 * Determines the user of a request. It reads only the headers and the certificate of the connection, never the body, and never responds.
 * An error that it throws counts as a rejection and is logged.
 */
export interface Authenticator {
  authenticate(request: AuthRequest): AuthResult | Promise<AuthResult>;
}
