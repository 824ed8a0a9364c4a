import type { HttpRequest } from "./http.ts";
import type { UserInfo } from "./user-info.ts";

/** What an authenticator found in a request. */
export type AuthResult =
  /** The caller is known. `audiences`: those of the token that the server shares. */
  | { readonly type: "authenticated"; readonly user: UserInfo; readonly audiences?: readonly string[] }
  /** The request carries nothing this authenticator understands: the next one is asked; when none is left, 401. */
  | { readonly type: "noOpinion" }
  /** Credentials were given and are bad: 401, whatever others say. The reason is logged, never sent. */
  | { readonly type: "rejected"; readonly reason: string };

/**
 * Tells who makes a request. Looks at headers and the TLS peer only: never reads the body, never answers.
 * An error thrown counts as a rejection and is logged.
 */
export interface Authenticator {
  authenticate(request: HttpRequest): AuthResult | Promise<AuthResult>;
}
