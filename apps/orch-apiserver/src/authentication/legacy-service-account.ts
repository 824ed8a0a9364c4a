import type { core } from "@orchernetes/api";
import { serviceAccountGroups, serviceAccountUserName } from "@orchernetes/apimachinery";
import type { ResourceStore } from "@orchernetes/apiserver";
import {
  isSameSecret,
  type LegacyClaims,
  parseLegacyClaims,
  type TokenAuthenticator,
  type TokenResult,
} from "@orchernetes/auth";
import type { Logger } from "@orchernetes/kernel";
import type { TokenCounts } from "../metrics/service-account-metrics.ts";
import { audiencesOf, matchAudiences, type SignedToken } from "../service-accounts/verify-signature.ts";

/** Label of a secret: the day (UTC) on which its token was last used. */
export const LAST_USED_LABEL = "orchernetes.io/legacy-token-last-used";

/** Warning for clients with a token that a controller created in the time before tokens expired, in upstream's words. */
const AUTO_GENERATED =
  "Use tokens from the TokenRequest API or manually created secret-based tokens instead of auto-generated secret-based tokens.";
const DAY_MS = 24 * 3600 * 1000;

/** Options of {@link legacyServiceAccountAuthenticator}. */
export interface LegacyTokenOptions {
  /** Verifies the signature and the issuer. */
  readonly verify: (token: string) => Promise<SignedToken>;
  /** The audiences of tokens that name none. */
  readonly apiAudiences: readonly string[];
  /** Undefined (`--service-account-lookup=false`): secrets and accounts are not looked up, and no use is recorded. */
  readonly lookups: LegacyTokenLookups | undefined;
  /** Feature gate LegacyServiceAccountTokenTracking: whether uses of a token are recorded in its secret. */
  readonly tracking: boolean;
  readonly counts: Pick<TokenCounts, "legacy">;
  readonly now: () => Date;
  readonly logger: Pick<Logger, "error">;
}

/** The stores of secrets and service accounts. */
interface LegacyTokenLookups {
  readonly serviceAccounts: Pick<ResourceStore<core.ServiceAccount>, "get">;
  readonly secrets: Pick<ResourceStore<core.Secret>, "get" | "update">;
}

const refuse = (reason: string): TokenResult => ({ type: "rejected", reason });

/**
 * Authenticates tokens that are kept in secrets of type `orchernetes.io/service-account-token`. Such a token has no audience and does not
 * expire; it is valid as long as its secret contains it and its service account exists (KEP-2799).
 */
export function legacyServiceAccountAuthenticator(options: LegacyTokenOptions): TokenAuthenticator {
  const { verify, apiAudiences, lookups, counts } = options;
  return {
    async authenticateToken(token, accepted) {
      const signed = await verify(token);
      if (signed.type === "foreign") return { type: "noOpinion" };
      if (signed.type === "invalid") return refuse(signed.reason);
      const { payload } = signed;
      const named = audiencesOf(payload);
      if (named.length === 0) counts.legacy();
      const shared = matchAudiences(named.length === 0 ? apiAudiences : named, accepted);
      if (!("audiences" in shared)) return refuse(shared.reason);
      const claims = parseLegacyClaims(payload);
      if ("error" in claims) return refuse(claims.error);
      const found = lookups === undefined ? [] : await checkSecret(token, claims, lookups, options);
      if (typeof found === "string") return refuse(found);
      const { namespace, serviceAccountName, serviceAccountUid: uid } = claims;
      const name = serviceAccountUserName(namespace, serviceAccountName);
      return {
        type: "authenticated",
        user: { name, uid, groups: serviceAccountGroups(namespace), extra: {} },
        audiences: shared.audiences,
        ...(found.length > 0 && { warnings: found }),
        ...(named.length === 0 && { annotations: { "authentication.o8s.io/legacy-token": name } }),
      };
    },
  };
}

/** Looks up the secret and the account of a token. Returns the reason why the token is no longer valid, or warnings for its user. */
async function checkSecret(
  token: string,
  { namespace, secretName, serviceAccountName, serviceAccountUid }: LegacyClaims,
  { secrets, serviceAccounts }: LegacyTokenLookups,
  options: LegacyTokenOptions,
): Promise<string | readonly string[]> {
  const secret = await secrets.get({ namespace, name: secretName }).catch(() => undefined);
  if (secret === undefined || secret.metadata.deletionTimestamp !== undefined) return "Token has been invalidated";
  if (!isSameSecret(Buffer.from(secret.data?.token ?? "", "base64"), Buffer.from(token)))
    return "Token does not match server's copy";
  const account = await serviceAccounts.get({ namespace, name: serviceAccountName }).catch(() => undefined);
  if (account === undefined) return `ServiceAccount ${namespace}/${serviceAccountName} is gone`;
  if (account.metadata.deletionTimestamp !== undefined)
    return `ServiceAccount ${namespace}/${serviceAccountName} has been deleted`;
  if (account.metadata.uid !== serviceAccountUid)
    return `ServiceAccount UID (${account.metadata.uid}) does not match claim (${serviceAccountUid})`;
  if (!options.tracking) return [];
  await recordUse(secret, secrets, options);
  return account.secrets?.some(({ name }) => name === secretName) ? [AUTO_GENERATED] : [];
}

/** Formats a day (UTC) as the label contains it: `2023-06-01`. */
const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** Writes the day into the label of the secret, once a day, so that uses cause few writes. After a failure the next use tries again. */
async function recordUse(
  { metadata }: core.Secret,
  secrets: LegacyTokenLookups["secrets"],
  { now, logger }: Pick<LegacyTokenOptions, "now" | "logger">,
): Promise<void> {
  const time = now().getTime();
  const today = dayOf(time);
  const lastUsed = metadata.labels?.[LAST_USED_LABEL];
  // Another server whose clock is ahead may already have written the next day.
  if (lastUsed === today || lastUsed === dayOf(time + DAY_MS)) return;
  const { namespace = "", name = "", uid = "" } = metadata;
  try {
    await secrets.update(
      { namespace, name },
      (draft) => {
        draft.metadata.labels = { ...draft.metadata.labels, [LAST_USED_LABEL]: today };
      },
      { uid },
    );
  } catch (error) {
    logger.error(error, "The use of a token could not be recorded in its secret", { namespace, secret: name });
  }
}
