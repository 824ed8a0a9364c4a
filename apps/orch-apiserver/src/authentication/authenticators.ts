import { core } from "@orchernetes/api";
import type { Registry } from "@orchernetes/apiserver";
import {
  type Authenticator,
  type AuthRequest,
  type AuthResult,
  cachedTokenAuthenticator,
  forAudiences,
  isAnonymous,
  LEGACY_ISSUER,
  requestAuthenticators,
  type TokenAuthenticator,
  type TokenCacheCounts,
  type TokenCacheOptions,
  unionTokenAuthenticator,
  type VerifyingKey,
} from "@orchernetes/auth";
import { markKnown } from "@orchernetes/component";
import { type Logger, systemClock } from "@orchernetes/kernel";
import type { Config } from "../config.ts";
import type { ObserveDelegated } from "../metrics/delegated-metrics.ts";
import type { TokenCounts } from "../metrics/service-account-metrics.ts";
import { createTokenVerifier } from "../service-accounts/token-verifier.ts";
import { createSignatureVerifier } from "../service-accounts/verify-signature.ts";
import { bootstrapTokenAuthenticator } from "./bootstrap-token.ts";
import type { FollowedCredentials } from "./followed-credentials.ts";
import { legacyServiceAccountAuthenticator } from "./legacy-service-account.ts";
import { serviceAccountAuthenticator } from "./service-account.ts";

/** How long a connection that repeats its token is not checked again. */
const BELIEVE_MS = 1000;
/** Together with `BELIEVE_MS` as long as upstream: a revoked service account token may work 10 s longer. */
const TOKEN_CACHE_MS = 10_000 - BELIEVE_MS;

/** Results of checks that this server makes itself. */
const tokenCache: TokenCacheOptions = { ttlMs: TOKEN_CACHE_MS, maxEntries: 10_000, clock: systemClock };

/** Dependencies of {@link createTokenAuthenticator} beside the configuration. */
export interface TokenAuthenticatorParts {
  readonly keys: readonly VerifyingKey[];
  /** Called only when requests arrive. */
  readonly registry: () => Registry;
  readonly counts: TokenCounts;
  readonly cacheCounts: TokenCacheCounts;
  /** Called after each request to the webhook. */
  readonly onWebhookAttempt: ObserveDelegated;
  readonly logger: Pick<Logger, "error" | "info" | "warn">;
  readonly credentials: Pick<FollowedCredentials, "tokenFile">;
  /** Ends what runs in the background. */
  readonly signal: AbortSignal;
}

/** Every configured way to check a bearer token, in order: token file, service accounts, bootstrap tokens, OpenID Connect, webhook. */
export async function createTokenAuthenticator(
  config: Config,
  parts: TokenAuthenticatorParts,
): Promise<TokenAuthenticator> {
  const { audiences } = config.serviceAccounts;
  const { tokenFile } = parts.credentials;
  const ownAudiences = [tokenFile, bootstrapTokens(config, parts), await oidcTokens(config, parts)].map((tokens) =>
    tokens === undefined ? [] : [forAudiences(tokens, audiences)],
  );
  const [listed = [], bootstrap = [], oidc = []] = ownAudiences;
  const webhook = await webhookTokens(config, parts);
  return unionTokenAuthenticator([
    ...listed,
    serviceAccountTokens(config, parts),
    ...bootstrap,
    ...oidc,
    ...(webhook === undefined ? [] : [webhook]),
  ]);
}

function bootstrapTokens(
  { flags }: Config,
  { registry, logger }: TokenAuthenticatorParts,
): TokenAuthenticator | undefined {
  if (!flags["enable-bootstrap-token-auth"]) return undefined;
  return bootstrapTokenAuthenticator({
    secrets: {
      cached: (ref) => registry().forDefinition(core.secrets).cached(ref),
      get: (ref) => registry().forDefinition(core.secrets).get(ref),
    },
    now: () => new Date(),
    logger,
  });
}

async function oidcTokens(
  { flags, oidcCa }: Config,
  { logger, signal, cacheCounts }: TokenAuthenticatorParts,
): Promise<TokenAuthenticator | undefined> {
  const issuer = flags["oidc-issuer-url"];
  if (issuer === "") return undefined;
  const { oidcAuthenticator } = await import("./oidc/oidc-authenticator.ts");
  const tokens = oidcAuthenticator({
    issuer,
    ca: oidcCa,
    clientId: flags["oidc-client-id"],
    algorithms: flags["oidc-signing-algs"],
    claims: {
      usernameClaim: flags["oidc-username-claim"],
      usernamePrefix: flags["oidc-username-prefix"],
      groupsClaim: flags["oidc-groups-claim"],
      groupsPrefix: flags["oidc-groups-prefix"],
      requiredClaims: Object.fromEntries(flags["oidc-required-claim"]),
    },
    clock: systemClock,
    signal,
    logger,
  });
  return cachedTokenAuthenticator(tokens, { ...tokenCache, counts: cacheCounts });
}

async function webhookTokens(
  { flags, serviceAccounts, tokenWebhook: endpoint }: Config,
  { signal, cacheCounts, onWebhookAttempt }: TokenAuthenticatorParts,
): Promise<TokenAuthenticator | undefined> {
  if (endpoint === undefined) return undefined;
  const { webhookTokenAuthenticator } = await import("./webhook-token.ts");
  return webhookTokenAuthenticator({
    endpoint,
    version: flags["authentication-token-webhook-version"] === "v1" ? "v1" : "v1beta1",
    cacheTtlMs: flags["authentication-token-webhook-cache-ttl"],
    audiences: serviceAccounts.audiences,
    counts: cacheCounts,
    onAttempt: onWebhookAttempt,
    clock: systemClock,
    signal,
  });
}

function serviceAccountTokens(
  config: Config,
  { keys, registry, counts, cacheCounts, logger }: TokenAuthenticatorParts,
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
  return cachedTokenAuthenticator(unionTokenAuthenticator([bound, legacy]), { ...tokenCache, counts: cacheCounts });
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
