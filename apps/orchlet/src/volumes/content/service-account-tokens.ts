import { type authentication, core } from "@orchernetes/api";
import { parseTime } from "@orchernetes/apimachinery";
import type { Client } from "@orchernetes/client";
import { type Clock, messageOf } from "@orchernetes/kernel";
import type { BoundToken } from "../../objects/bound-token.ts";
import type { LastKnown } from "../../objects/last-known.ts";

/** Creates and caches the service account tokens of pods. */
export interface ServiceAccountTokens {
  /** The cached token while it is fresh, or a new one. @throws Error if no valid token is available */
  get(pod: core.Pod, request: TokenWish): Promise<BoundToken>;
  /** Drops the tokens of a pod that is gone. */
  forget(podUid: string): void;
}

/** For whom a token is, and for how long. @default the API server, 3600 s */
interface TokenWish {
  readonly audience?: string | undefined;
  readonly expirationSeconds?: number | undefined;
}

interface Kept {
  readonly token: BoundToken;
  /** Monotonic time: setting the wall clock back must not delay the renewal. */
  readonly renewAtMs: number;
}

const dayMs = 86_400_000;
/** Maximum random advance of a renewal, so that pods whose tokens were created together do not renew them together. */
const jitterMs = 10_000;

/**
 * Tokens are bound to their pod, and renewed after 80 % of their lifetime and at least daily (KEP-1205). If the renewal
 * fails, the old token stays.
 */
export function createServiceAccountTokens(client: Client, lastKnown: LastKnown, clock: Clock): ServiceAccountTokens {
  const kept = new Map<string, Kept>();
  return {
    async get(pod, { audience, expirationSeconds = 3600 }) {
      const { name = "", namespace = "", uid = "" } = pod.metadata;
      const account = pod.spec.serviceAccountName || "default";
      const key = JSON.stringify([uid, namespace, account, audience ?? "", expirationSeconds]);
      const nowMs = clock.monotonicMs();
      const fresh = kept.get(key);
      if (fresh !== undefined && nowMs < fresh.renewAtMs) return fresh.token;
      const request = {
        apiVersion: "authentication.o8s.io/v1",
        kind: "TokenRequest",
        metadata: {},
        spec: {
          audiences: audience ? [audience] : [],
          expirationSeconds,
          boundObjectRef: { kind: "Pod", apiVersion: "v1", name, uid },
        },
      };
      try {
        const { status } = await lastKnown.read(uid, `token/${key}`, () =>
          client
            .resource(core.serviceAccounts)
            .namespace(namespace)
            .subresource<authentication.TokenRequest>("token")
            .create(account, request),
        );
        const lifeMs = parseTime(status.expirationTimestamp).getTime() - clock.now().getTime();
        const renewAtMs = nowMs + Math.min(lifeMs * 0.8, dayMs) - Math.random() * jitterMs;
        const { token, expirationTimestamp } = status;
        kept.set(key, { token: { token, expirationTimestamp }, renewAtMs });
        return { token, expirationTimestamp };
      } catch (error) {
        // The old token is still valid, and the server may be unavailable only for a moment.
        if (fresh !== undefined) return fresh.token;
        throw new Error(`failed to fetch token: ${messageOf(error)}`, {
          cause: error,
        });
      }
    },
    forget(podUid) {
      for (const key of kept.keys()) if (key.startsWith(`["${podUid}"`)) kept.delete(key);
    },
  };
}
