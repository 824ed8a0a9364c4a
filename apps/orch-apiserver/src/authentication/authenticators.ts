import { core } from "@orchernetes/api";
import type { Authenticator, Registry } from "@orchernetes/apiserver";
import type { Config } from "../config.ts";
import type { TokenCounts } from "../metrics/service-account-metrics.ts";
import { LEGACY_ISSUER } from "../service-accounts/legacy-claims.ts";
import type { VerifyingKey } from "../service-accounts/signing-key.ts";
import { createTokenVerifier } from "../service-accounts/token-verifier.ts";
import { createSignatureVerifier } from "../service-accounts/verify-signature.ts";
import { clientCertificateAuthenticator } from "./client-certificate.ts";
import { type LegacyTokenOptions, legacyServiceAccountAuthenticator } from "./legacy-service-account.ts";
import { requestHeaderAuthenticator } from "./request-header.ts";
import { serviceAccountAuthenticator } from "./service-account.ts";
import {
  bearerTokenAuthenticator,
  cachedTokenAuthenticator,
  type TokenAuthenticator,
  unionTokenAuthenticator,
} from "./token-authenticator.ts";
import { tokenFileAuthenticator } from "./token-file.ts";

/** A connection that repeats its token is believed this long. */
const BELIEVE_MS = 1000;
/** With that as long as upstream: a revoked service account token may work 10 s longer. */
const TOKEN_CACHE_MS = 10_000 - BELIEVE_MS;

/** What checks of bearer tokens rest on, beside the configuration. */
export interface TokenAuthenticatorParts {
  readonly keys: readonly VerifyingKey[];
  /** Asked only once requests come in. */
  readonly registry: () => Registry;
  readonly counts: TokenCounts;
  readonly logger: LegacyTokenOptions["logger"];
}

/** Every configured way to check a bearer token, in order. */
export function createTokenAuthenticator(
  config: Config,
  { keys, registry, counts, logger }: TokenAuthenticatorParts,
): TokenAuthenticator {
  const { flags, serviceAccounts } = config;
  const clock = { now: () => new Date() };
  const verify = createTokenVerifier({ keys, issuers: serviceAccounts.issuers, clock });
  const lookups = flags["service-account-lookup"]
    ? {
        get serviceAccounts() {
          return registry().forDefinition(core.serviceAccounts);
        },
        get pods() {
          return registry().forDefinition(core.pods);
        },
        get secrets() {
          return registry().forDefinition(core.secrets);
        },
      }
    : undefined;
  const legacy = legacyServiceAccountAuthenticator({
    verify: createSignatureVerifier({ keys, issuers: [LEGACY_ISSUER], clock }),
    apiAudiences: serviceAccounts.audiences,
    lookups,
    tracking: config.featureEnabled("LegacyServiceAccountTokenTracking"),
    counts,
    now: clock.now,
    logger,
  });
  const bound = serviceAccountAuthenticator(verify, lookups, clock.now, counts);
  const accounts = cachedTokenAuthenticator(unionTokenAuthenticator([bound, legacy]), {
    ttlMs: TOKEN_CACHE_MS,
    maxEntries: 10_000,
    now: Date.now,
  });
  const { tokenUsers } = config;
  return unionTokenAuthenticator([...(tokenUsers === undefined ? [] : [tokenFileAuthenticator(tokenUsers)]), accounts]);
}

/**
 * How requests tell who makes them: front proxy, client certificate, bearer token.
 * @param onCertificate told of each request with a client certificate, and for how long that still counts
 */
export function createAuthenticators(
  config: Config,
  tokens: TokenAuthenticator,
  onCertificate?: (remainingSeconds: number) => void,
): readonly Authenticator[] {
  const { flags, requestHeaderCaPem, clientCaPem } = config;
  const proxy =
    requestHeaderCaPem === undefined
      ? []
      : [
          requestHeaderAuthenticator({
            caPem: requestHeaderCaPem,
            allowedNames: flags["requestheader-allowed-names"],
            usernameHeaders: flags["requestheader-username-headers"],
            groupHeaders: flags["requestheader-group-headers"],
            extraHeadersPrefixes: flags["requestheader-extra-headers-prefix"],
          }),
        ];
  const certificates = clientCaPem === undefined ? [] : [clientCertificateAuthenticator(clientCaPem, onCertificate)];
  return [
    ...proxy,
    ...certificates,
    bearerTokenAuthenticator(tokens, config.serviceAccounts.audiences, { believeMs: BELIEVE_MS, now: Date.now }),
  ];
}
