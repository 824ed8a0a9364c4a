import type { core } from "@orchernetes/api";
import { serviceAccountGroups } from "@orchernetes/apimachinery";
import type { ResourceStore } from "@orchernetes/apiserver";
import type { TokenAuthenticator, TokenResult } from "@orchernetes/auth";
import type { TokenCounts } from "../metrics/service-account-metrics.ts";
import type { TokenClaims } from "../service-accounts/claims.ts";
import type { Verification } from "../service-accounts/token-verifier.ts";

const refuse = (reason: string): TokenResult => ({ type: "rejected", reason });

/** The stores of the objects on which the validity of a token depends. */
export interface TokenLookups {
  readonly serviceAccounts: Pick<ResourceStore<core.ServiceAccount>, "cached" | "get">;
  readonly pods: Pick<ResourceStore<core.Pod>, "cached" | "get">;
  readonly secrets: Pick<ResourceStore<core.Secret>, "cached" | "get">;
}

type Lookup = Pick<ResourceStore, "cached" | "get">;

/**
 * Compares the uid of an object with that in a token. The watch cache may be older than the token, so an object that differs or is missing
 * there is read from the store before the token is rejected.
 */
async function uidOf(
  store: Lookup,
  namespace: string,
  name: string,
  uid: string,
): Promise<"same" | "other" | "gone" | "leaving"> {
  const ref = { namespace, name };
  let object = store.cached(ref);
  if (object?.metadata.uid !== uid) object = await store.get(ref).catch(() => undefined);
  if (object === undefined) return "gone";
  if (object.metadata.uid !== uid) return "other";
  const { deletionTimestamp, deletionGracePeriodSeconds } = object.metadata;
  if (deletionTimestamp === undefined) return "same";
  // The token of a pod is valid for a minute after its grace period, so that the pod can finish its requests (as upstream).
  const leewayMs = 60_000;
  const until = Date.parse(deletionTimestamp) + leewayMs;
  return deletionGracePeriodSeconds !== undefined && Date.now() < until ? "same" : "leaving";
}

/** Rejects a token whose service account, pod or secret no longer exists; undefined: the token is valid. */
async function checkObjects(claims: TokenClaims, lookups: TokenLookups): Promise<TokenResult | undefined> {
  const own = claims["orchernetes.io"];
  const { namespace, serviceaccount, pod, secret } = own;
  if ((await uidOf(lookups.serviceAccounts, namespace, serviceaccount.name, serviceaccount.uid)) !== "same")
    return refuse("service account is gone or has another UID than the token names");
  if (pod && (await uidOf(lookups.pods, namespace, pod.name, pod.uid)) !== "same")
    return refuse("the pod that the token is bound to is gone");
  if (secret && (await uidOf(lookups.secrets, namespace, secret.name, secret.uid)) !== "same")
    return refuse("the secret that the token is bound to is gone");
  return undefined;
}

/**
 * Authenticates the service account tokens of the TokenRequest API (KEP-1205). `verify` checks the signature, the times and the audience.
 * Then the service account and the object that the token is bound to must still exist with the uids in the token, unless `lookups` is
 * undefined (`--service-account-lookup=false`).
 *
 * @param counts counts tokens that should have been renewed (`stale`) and others (`valid`)
 */
export function serviceAccountAuthenticator(
  verify: (token: string, audiences: readonly string[]) => Promise<Verification>,
  lookups: TokenLookups | undefined,
  now: () => Date,
  counts: Pick<TokenCounts, "stale" | "valid">,
): TokenAuthenticator {
  return {
    async authenticateToken(token, audiences) {
      const verified = await verify(token, audiences);
      if (verified.type === "foreign") return { type: "noOpinion" };
      if (verified.type === "invalid") return refuse(verified.reason);
      const { claims } = verified;
      const refusal = lookups && (await checkObjects(claims, lookups));
      if (refusal) return refusal;
      const own = claims["orchernetes.io"];
      const { warnafter = 0 } = own;
      const late = warnafter === 0 ? 0 : Math.floor(now().getTime() / 1000) - warnafter;
      if (late > 0) counts.stale();
      else if (warnafter !== 0) counts.valid();
      return {
        type: "authenticated",
        audiences: verified.audiences,
        user: {
          name: claims.sub,
          uid: own.serviceaccount.uid,
          groups: serviceAccountGroups(own.namespace),
          extra: own.pod
            ? {
                "authentication.orchernetes.io/pod-name": [own.pod.name],
                "authentication.orchernetes.io/pod-uid": [own.pod.uid],
              }
            : {},
        },
        ...(late > 0 && {
          annotations: {
            "authentication.o8s.io/stale-token": `subject: ${claims.sub}, seconds after warning threshold: ${late}`,
          },
        }),
      };
    },
  };
}
