import { type authentication, core } from "@orchernetes/api";
import { parseTime } from "@orchernetes/apimachinery";
import type { Client } from "@orchernetes/client";
import type { Clock } from "@orchernetes/kernel";
import type { LastKnown } from "../objects/last-known.ts";

/** Tokens of service accounts for pods, kept while they are fresh. */
export interface ServiceAccountTokens {
  get(pod: core.Pod, projection: core.ServiceAccountTokenProjection): Promise<string>;
  forget(podUid: string): void;
}

interface Kept {
  readonly token: string;
  /** On the clock that never runs backwards: a token does not live longer because the time of day was set back. */
  readonly renewAtMs: number;
}

const dayMs = 86_400_000;
/** Clocks of different machines differ: pods with one token must not all ask at once either. */
const jitterMs = 10_000;

/** Tokens are bound to their pod, and renewed at 80 % of their lifetime and at least daily. If renewal fails, the old token stays. */
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
        kept.set(key, { token: status.token, renewAtMs });
        return status.token;
      } catch (error) {
        // An old token is better than none while it is valid: the server may be away for a moment.
        if (fresh !== undefined) return fresh.token;
        throw new Error(`failed to fetch token: ${error instanceof Error ? error.message : String(error)}`, {
          cause: error,
        });
      }
    },
    forget(podUid) {
      for (const key of kept.keys()) if (key.startsWith(`["${podUid}"`)) kept.delete(key);
    },
  };
}
