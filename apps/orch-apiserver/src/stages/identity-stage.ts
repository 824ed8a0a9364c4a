import type { Registry } from "@orchernetes/apiserver";
import { type Authenticator, signingKeyOf, type TokenAuthenticator, type VerifyingKey } from "@orchernetes/auth";
import { systemClock } from "@orchernetes/kernel";
import { generatePrivateKey } from "@orchernetes/tls";
import { createAuthenticators } from "../authentication/create-authenticators.ts";
import { createTokenAuthenticator } from "../authentication/create-token-authenticator.ts";
import { type FollowedCredentials, followCredentials } from "../authentication/followed-credentials.ts";
import { delegatedMetrics } from "../metrics/delegated-metrics.ts";
import { deprecatedCertificates } from "../metrics/deprecated-certificates.ts";
import { serviceAccountMetrics } from "../metrics/service-account-metrics.ts";
import { certificateMetric } from "../metrics/tls-metrics.ts";
import { tokenCacheMetrics } from "../metrics/token-cache-metrics.ts";
import { createTokenIssuer, type TokenIssuer } from "../service-accounts/token-issuer.ts";
import type { ServerProcess } from "./process.ts";

/** The authentication of clients, and the issuing of service account tokens. */
export interface IdentityStage {
  readonly credentials: FollowedCredentials;
  readonly tokens: TokenAuthenticator;
  readonly authenticators: readonly Authenticator[];
  readonly issuer: TokenIssuer;
  /** The keys that verify service account tokens. */
  readonly keys: readonly VerifyingKey[];
}

/**
 * Reads the credentials that flags name, and creates the authenticators and the issuer of tokens. If no key is configured, one is generated;
 * its tokens are then valid only until this server restarts.
 */
export async function createIdentity(
  { config, flags, logger, metrics, ended }: ServerProcess,
  registry: Registry,
): Promise<IdentityStage> {
  const { serviceAccounts } = config;
  const signingKey =
    serviceAccounts.signingKey ?? signingKeyOf(await generatePrivateKey("ecdsa-p256"), "the generated key");
  const keys = [...serviceAccounts.verifyingKeys, signingKey];
  const issuer = createTokenIssuer({
    key: signingKey,
    issuer: serviceAccounts.issuers[0] ?? "",
    defaultAudiences: serviceAccounts.audiences,
    clock: systemClock,
  });
  const credentials = await followCredentials(flags, { logger, signal: ended });
  const tokens = await createTokenAuthenticator(config, {
    keys,
    credentials,
    registry: () => registry,
    counts: serviceAccountMetrics(metrics),
    cacheCounts: tokenCacheMetrics(metrics),
    onWebhookAttempt: delegatedMetrics(metrics, "authn"),
    onDeprecated: deprecatedCertificates(metrics, "webhooks"),
    logger,
    signal: ended,
  });
  const onCertificate = certificateMetric(metrics);
  return {
    credentials,
    tokens,
    authenticators: createAuthenticators(config, { tokens, credentials, onCertificate }),
    issuer,
    keys,
  };
}
