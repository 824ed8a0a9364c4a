/**
 * Authentication and authorization for every server: the API server and the other daemons use the same code.
 *
 * - **Users**: {@link UserInfo}; {@link isAnonymous} and {@link withAuthenticatedGroup} say which groups they get.
 * - **Authentication**: {@link requestAuthenticators} makes the list of {@link Authenticator}s of a server (front proxy, client
 *   certificate, bearer token); {@link Authentication} asks them and returns the user.
 * - **Tokens**: {@link TokenAuthenticator}s check them: {@link tokenFileAuthenticator}, {@link tokenReviewAuthenticator} and the
 *   service account tokens of the API server, {@link cachedTokenAuthenticator} around expensive ones.
 * - **Service account tokens**: {@link signToken} with a {@link SigningKey}; {@link legacyClaimsFor} those that are kept in secrets.
 * - **Authorization**: {@link Authorization} asks {@link Authorizer}s: {@link privilegedGroups}, {@link allowedPaths},
 *   {@link rbacAuthorizer}, {@link abacAuthorizer}, {@link accessReviewAuthorizer}.
 *
 * Nothing here serves requests, reads files or imports a client: connections, authorities and review clients are passed in.
 *
 * @example
 * ```ts
 * import {
 *   accessReviewAuthorizer,
 *   allowedPaths,
 *   Authentication,
 *   Authorization,
 *   cachedTokenAuthenticator,
 *   privilegedGroups,
 *   type ReviewClient,
 *   requestAuthenticators,
 *   SUPERUSER_GROUP,
 *   tokenReviewAuthenticator,
 * } from "@orchernetes/auth";
 * import type { Clock, Logger } from "@orchernetes/kernel";
 *
 * // The access to a server that delegates its decisions to the API server.
 * function accessOf(review: ReviewClient, clock: Clock, logger: Logger) {
 *   const tokens = cachedTokenAuthenticator(tokenReviewAuthenticator({ review }), {
 *     ttlMs: 10_000,
 *     maxEntries: 4096,
 *     clock,
 *   });
 *   return {
 *     authentication: new Authentication({ authenticators: requestAuthenticators({ tokens, clock }), anonymous: true, logger }),
 *     authorization: new Authorization([
 *       privilegedGroups(SUPERUSER_GROUP),
 *       allowedPaths(["/healthz"]),
 *       accessReviewAuthorizer({ review, allowTtlMs: 10_000, denyTtlMs: 10_000, clock }),
 *     ]),
 *   };
 * }
 * ```
 *
 * @module
 */
export { abacAuthorizer, abacRules } from "./abac/abac-authorizer.ts";
export { type AbacPolicy, type AbacPolicyFile, PolicyFileError, parseAbacPolicyFile } from "./abac/policy-file.ts";
export {
  Authentication,
  type AuthenticationOptions,
  CredentialsRejected,
  type RequestNotes,
} from "./authentication.ts";
export type {
  AuthenticatedResult,
  Authenticator,
  AuthRequest,
  AuthResult,
  RejectedResult,
} from "./authenticators/authenticator.ts";
export { PeerCertificates, type PeerVerdict, type Roots } from "./authenticators/peer-certificates.ts";
export {
  type FrontProxyOptions,
  type IdentityHeaders,
  requestHeaderAuthenticator,
} from "./authenticators/request-header.ts";
export { Authorization, errorsText } from "./authorization.ts";
export { allowedPaths, isAllowedPath } from "./authorizers/allowed-paths.ts";
export { alwaysAllow, alwaysDeny } from "./authorizers/always.ts";
export { type Attributes, type Authorizer, type Decision, pathAttributes } from "./authorizers/authorizer.ts";
export { privilegedGroups } from "./authorizers/privileged-groups.ts";
export { authenticationChallenge } from "./challenge.ts";
export { type AccessReviewOptions, accessReviewAuthorizer } from "./delegated/access-review.ts";
export type { ReviewClient } from "./delegated/review-client.ts";
export { type TokenReviewOptions, tokenReviewAuthenticator } from "./delegated/token-review.ts";
export { ExpiringCache } from "./expiring-cache.ts";
export { describeRights } from "./rbac/describe-rights.ts";
export { type Grant, missingRole, PolicyIndex } from "./rbac/policy-index.ts";
export { rbacAuthorizer } from "./rbac/rbac-authorizer.ts";
export { missingRights } from "./rbac/rule-coverage.ts";
export { ruleAllows } from "./rbac/rule-match.ts";
export { type AcceptedCredentials, requestAuthenticators } from "./request-authenticators.ts";
export {
  LEGACY_ISSUER,
  type LegacyClaims,
  legacyClaimsFor,
  parseLegacyClaims,
} from "./service-accounts/legacy-claims.ts";
export { encodePart, signToken } from "./service-accounts/sign-token.ts";
export {
  parseVerifyingKeys,
  type SigningKey,
  signingKeyOf,
  type VerifyingKey,
  verifyingKey,
} from "./service-accounts/signing-key.ts";
export { forAudiences } from "./tokens/audiences.ts";
export {
  cachedTokenAuthenticator,
  type TokenCacheCounts,
  type TokenCacheOptions,
} from "./tokens/cached-token-authenticator.ts";
export { isSameSecret } from "./tokens/secrets.ts";
export { type TokenAuthenticator, type TokenResult, unionTokenAuthenticator } from "./tokens/token-authenticator.ts";
export {
  parseTokenFile,
  type TokenFileAuthenticator,
  TokenFileError,
  tokenFileAuthenticator,
} from "./tokens/token-file.ts";
export { withoutBearerProtocol } from "./tokens/web-socket-token.ts";
export {
  AUTHENTICATED_GROUP,
  anonymousUser,
  isAnonymous,
  loopbackUser,
  SUPERUSER_GROUP,
  UNAUTHENTICATED_GROUP,
  type UserInfo,
  withAuthenticatedGroup,
} from "./user.ts";
