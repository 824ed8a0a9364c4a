import { core } from "@orchernetes/api";
import type { Registry } from "@orchernetes/apiserver";
import {
  type Authenticator,
  type AuthRequest,
  type AuthResult,
  cachedTokenAuthenticator,
  forAudiences,
  isAnonymous,
  requestAuthenticators,
  type TokenAuthenticator,
  unionTokenAuthenticator,
} from "@orchernetes/auth";
import { markKnown } from "@orchernetes/component";
import { systemClock } from "@orchernetes/kernel";
import type { Config } from "../config.ts";
import type { TokenCounts } from "../metrics/service-account-metrics.ts";
import { LEGACY_ISSUER } from "../service-accounts/legacy-claims.ts";
import type { VerifyingKey } from "../service-accounts/signing-key.ts";
import { createTokenVerifier } from "../service-accounts/token-verifier.ts";
import { createSignatureVerifier } from "../service-accounts/verify-signature.ts";
import type { FollowedCredentials } from "./followed-credentials.ts";
import { type LegacyTokenOptions, legacyServiceAccountAuthenticator } from "./legacy-service-account.ts";
import { serviceAccountAuthenticator } from "./service-account.ts";

/** How long a connection that repeats its token is not checked again. */
const BELIEVE_MS = 1000;
/** Together with `BELIEVE_MS` as long as upstream: a revoked service account token may work 10 s longer. */
const TOKEN_CACHE_MS = 10_000 - BELIEVE_MS;

/** Dependencies of {@link createTokenAuthenticator} beside the configuration. */
export interface TokenAuthenticatorParts {
  readonly keys: readonly VerifyingKey[];
  /** Called only when requests arrive. */
  readonly registry: () => Registry;
  readonly counts: TokenCounts;
  readonly logger: LegacyTokenOptions["logger"];
  readonly credentials: Pick<FollowedCredentials, "tokenFile">;
}

/** Every configured way to check a bearer token, in order. */
export function createTokenAuthenticator(
  config: Config,
  { keys, registry, counts, logger, credentials }: TokenAuthenticatorParts,
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
    clock: systemClock,
  });
  const { tokenFile } = credentials;
  const listed = tokenFile === undefined ? [] : [forAudiences(tokenFile, serviceAccounts.audiences)];
  return unionTokenAuthenticator([...listed, accounts]);
}

/** Dependencies of {@link createAuthenticators}. */
export interface AuthenticatorParts {
  readonly tokens: TokenAuthenticator;
  readonly credentials: Pick<FollowedCredentials, "clients" | "frontProxies">;
  /** Called for each request with a client certificate, with the time for which it is still valid. */
  readonly onCertificate?: (remainingSeconds: number) => void;
}

/** Creates the authenticators: front proxy, client certificate, bearer token. */
export function createAuthenticators(
  config: Pick<Config, "flags" | "serviceAccounts">,
  { tokens, credentials, onCertificate }: AuthenticatorParts,
): readonly Authenticator[] {
  const { flags, serviceAccounts } = config;
  const { clients, frontProxies } = credentials;
  return requestAuthenticators({
    frontProxies: frontProxies && {
      peers: frontProxies,
      allowedNames: flags["requestheader-allowed-names"],
      usernameHeaders: flags["requestheader-username-headers"],
      groupHeaders: flags["requestheader-group-headers"],
      extraHeaderPrefixes: flags["requestheader-extra-headers-prefix"],
    },
    clients,
    onCertificate,
    tokens,
    audiences: serviceAccounts.audiences,
    believeMs: BELIEVE_MS,
    clock: systemClock,
  }).map(knownClients);
}

/** Marks the connections of authenticated clients; others must not stay idle. */
function knownClients(inner: Authenticator): Authenticator {
  const settle = (request: AuthRequest, result: AuthResult): AuthResult => {
    if (result.type === "authenticated" && !isAnonymous(result.user)) markKnown(request);
    return result;
  };
  return {
    authenticate(request) {
      const result = inner.authenticate(request);
      return result instanceof Promise ? result.then((late) => settle(request, late)) : settle(request, result);
    },
  };
}
