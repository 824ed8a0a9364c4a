import { core } from "@orchernetes/api";
import type { Registry } from "@orchernetes/apiserver";
import {
  cachedTokenAuthenticator,
  forAudiences,
  LEGACY_ISSUER,
  type TokenAuthenticator,
  type TokenCacheCounts,
  type TokenCacheOptions,
  unionTokenAuthenticator,
  type VerifyingKey,
} from "@orchernetes/auth";
import { type Logger, systemClock } from "@orchernetes/kernel";
import type { Config } from "../config.ts";
import type { ObserveDelegated } from "../metrics/delegated-metrics.ts";
import type { TokenCounts } from "../metrics/service-account-metrics.ts";
import { createTokenVerifier } from "../service-accounts/token-verifier.ts";
import { createSignatureVerifier } from "../service-accounts/verify-signature.ts";
import type { ReviewEndpoint } from "../webhook/review-client.ts";
import { bootstrapTokenAuthenticator } from "./bootstrap-token.ts";
import type { FollowedCredentials } from "./followed-credentials.ts";
import { legacyServiceAccountAuthenticator } from "./legacy-service-account.ts";
import { serviceAccountAuthenticator } from "./service-account.ts";

/** For this time, in milliseconds, a connection that repeats its token is not authenticated again. */
export const RECHECK_AFTER_MS = 1000;
/** Both times together are as long as upstream's cache: a revoked service account token remains valid for up to 10 s. */
const TOKEN_CACHE_MS = 10_000 - RECHECK_AFTER_MS;

/** The cache of tokens that this server verifies itself. */
const tokenCache: TokenCacheOptions = { ttlMs: TOKEN_CACHE_MS, maxEntries: 10_000, clock: systemClock };

/** Dependencies of {@link createTokenAuthenticator} besides the configuration. */
export interface TokenAuthenticatorParts {
  readonly keys: readonly VerifyingKey[];
  /** Called only when requests arrive. */
  readonly registry: () => Registry;
  readonly counts: TokenCounts;
  readonly cacheCounts: TokenCacheCounts;
  /** Called after each request to the webhook. */
  readonly onWebhookAttempt: ObserveDelegated;
  /** Called for each request to the webhook by what is deprecated in its certificate. */
  readonly onDeprecated: NonNullable<ReviewEndpoint["onDeprecated"]>;
  readonly logger: Pick<Logger, "error" | "info" | "warn">;
  readonly credentials: Pick<FollowedCredentials, "tokenFile">;
  /** Stops what runs in the background. */
  readonly signal: AbortSignal;
}

/**
 * Creates the authenticator of bearer tokens, which asks the configured ones in the order of upstream: token file, service accounts,
 * bootstrap tokens, OpenID Connect, webhook. The last two are imported only if they are configured, because they cost start-up time.
 */
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

/** `--enable-bootstrap-token-auth`. The results are not cached, so that a deleted secret takes effect at once. */
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

/** `--oidc-issuer-url`. */
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

/** `--authentication-token-webhook-config-file`. It has a cache of its own, whose time is a flag. */
async function webhookTokens(
  { flags, serviceAccounts, tokenWebhook: endpoint }: Config,
  { signal, cacheCounts, onWebhookAttempt, onDeprecated }: TokenAuthenticatorParts,
): Promise<TokenAuthenticator | undefined> {
  if (endpoint === undefined) return undefined;
  const { webhookTokenAuthenticator } = await import("./webhook-token.ts");
  return webhookTokenAuthenticator({
    endpoint: { ...endpoint, onDeprecated },
    version: flags["authentication-token-webhook-version"] === "v1" ? "v1" : "v1beta1",
    cacheTtlMs: flags["authentication-token-webhook-cache-ttl"],
    audiences: serviceAccounts.audiences,
    counts: cacheCounts,
    onAttempt: onWebhookAttempt,
    clock: systemClock,
    signal,
  });
}

/** Tokens of the TokenRequest API, and those that are kept in secrets. With `--service-account-lookup=false` only signatures are verified. */
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
