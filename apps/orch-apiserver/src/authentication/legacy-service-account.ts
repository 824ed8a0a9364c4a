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
import { audiencesOf, type SignedToken, sharedAudiences } from "../service-accounts/verify-signature.ts";

/** Records on which day (UTC) the token in a secret was last used. */
export const LAST_USED_LABEL = "orchernetes.io/legacy-token-last-used";

const AUTO_GENERATED =
  "Use tokens from the TokenRequest API or manually created secret-based tokens instead of auto-generated secret-based tokens.";
const DAY_MS = 24 * 3600 * 1000;

/** What {@link legacyServiceAccountAuthenticator} needs. */
export interface LegacyTokenOptions {
  readonly verify: (token: string) => Promise<SignedToken>;
  /** What tokens without audiences are for. */
  readonly apiAudiences: readonly string[];
  /** Undefined: secrets and accounts are not looked at (`--service-account-lookup=false`), and no use is recorded. */
  readonly lookups: LegacyTokenLookups | undefined;
  /** Gate LegacyServiceAccountTokenTracking: the secret records when its token was used. */
  readonly tracking: boolean;
  readonly counts: Pick<TokenCounts, "legacy">;
  readonly now: () => Date;
  readonly logger: Pick<Logger, "error">;
}

/** Where secrets and accounts are looked up. */
interface LegacyTokenLookups {
  readonly serviceAccounts: Pick<ResourceStore<core.ServiceAccount>, "get">;
  readonly secrets: Pick<ResourceStore<core.Secret>, "get" | "update">;
}

const refuse = (reason: string): TokenResult => ({ type: "rejected", reason });

/**
 * Accepts the tokens kept in secrets of type `orchernetes.io/service-account-token`: such a token has neither audience nor end,
 * and works as long as that secret holds it and the account is there (KEP-2799).
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
      const shared = sharedAudiences(named.length === 0 ? apiAudiences : named, accepted);
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

/** Why the token does not hold any more, or what its holder should know. */
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

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** Notes the day in the secret's label, once a day. A failure only means that the next use tries again. */
async function recordUse(
  { metadata }: core.Secret,
  secrets: LegacyTokenLookups["secrets"],
  { now, logger }: Pick<LegacyTokenOptions, "now" | "logger">,
): Promise<void> {
  const time = now().getTime();
  const today = dayOf(time);
  const lastUsed = metadata.labels?.[LAST_USED_LABEL];
  // A server whose clock is ahead may have begun tomorrow already.
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
