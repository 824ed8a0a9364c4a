import type { core } from "@orchernetes/api";
import { isNotFound, type Stored } from "@orchernetes/apimachinery";
import { inOrder, noPlan, type Plan } from "@orchernetes/controller";
import { defineController } from "../../shared/define-controller.ts";
import { configMaps as configMapsRef } from "../../shared/refs.ts";
import { semanticEqual } from "../../shared/semantic-equal.ts";
import { detachedSignature } from "./detached-signature.ts";
import { LONGEST_DELAY_MS } from "./longest-delay.ts";
import { expirationMs, signingToken, type TokenSecret, tokenSecrets } from "./token-secret.ts";

const NAMESPACE = "orch-public";
const NAME = "cluster-info";
/** The key of the client configuration that is signed. */
const CONTENT_KEY = "orchconfig";
/** Signatures are kept beside it, under this and the id of their token. */
const SIGNATURE_PREFIX = "jws-orchconfig-";

/** The cluster's information, and the bootstrap tokens. */
export interface SignerState {
  readonly clusterInfo: Stored<core.ConfigMap>;
  readonly secrets: readonly TokenSecret[];
}

/** Replaces the ConfigMap. */
export interface SignAction {
  readonly type: "Update";
  readonly clusterInfo: Stored<core.ConfigMap>;
}

/** Signs the client configuration with each token that signs, and removes all other signatures. Pure. */
export function reconcile({ clusterInfo, secrets }: SignerState, now: Date): Plan<SignAction> {
  const content = clusterInfo.data?.[CONTENT_KEY];
  if (content === undefined) return noPlan;
  const data: Record<string, string> = {};
  for (const [key, value] of Object.entries(clusterInfo.data ?? {}))
    if (!key.startsWith(SIGNATURE_PREFIX)) data[key] = value;
  let soonestMs = Number.POSITIVE_INFINITY;
  for (const secret of secrets) {
    const token = signingToken(secret);
    const leftMs = (expirationMs(secret) ?? Number.POSITIVE_INFINITY) - now.getTime();
    if (token === undefined || leftMs <= 0) continue;
    soonestMs = Math.min(soonestMs, leftMs);
    data[SIGNATURE_PREFIX + token.id] = detachedSignature(content, token);
  }
  const again = soonestMs === Number.POSITIVE_INFINITY ? {} : { requeueAfterMs: Math.min(soonestMs, LONGEST_DELAY_MS) };
  if (semanticEqual(clusterInfo.data, data)) return { actions: [], ...again };
  return { actions: [{ type: "Update", clusterInfo: { ...clusterInfo, data } }], ...again };
}

/**
 * Signs ConfigMap `cluster-info` in `orch-public`, which everybody may read, with the bootstrap tokens, so that a node that has a
 * token can trust the authority in it.
 */
export const bootstrapSignerController = defineController({
  name: "bootstrapsigner",
  serviceAccount: "bootstrap-signer",
  enabledByDefault: false,
  build(shell) {
    const { client } = shell.context;
    const queue = shell.queue("bootstrap_signer_queue");
    const tokens = tokenSecrets(shell);
    const configMaps = shell.ownInformer(configMapsRef, {
      namespace: NAMESPACE,
      fieldSelector: `metadata.name=${NAME}`,
    });
    const wake = (): void => queue.add(NAME);
    configMaps.addHandler({ onAdd: wake, onUpdate: wake });
    tokens.addHandler({ onAdd: wake, onUpdate: wake, onDelete: wake });
    shell.loop({
      queue,
      workers: 1,
      gather(): SignerState | undefined {
        const clusterInfo = configMaps.lister.get(NAMESPACE, NAME);
        return clusterInfo && { clusterInfo, secrets: tokens.lister.list() };
      },
      reconcile,
      carryOut: inOrder<SignAction, SignerState>({
        async Update({ clusterInfo }) {
          await client
            .resource(configMapsRef)
            .update(clusterInfo)
            .catch((error: unknown) => {
              if (!isNotFound(error)) throw error;
            });
        },
      }),
    });
  },
});
