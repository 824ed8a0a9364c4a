import type { core, storage } from "@orchernetes/api";
import type { BoundToken } from "../objects/bound-token.ts";
import type { CsiVolume } from "./csi-volume.ts";

/** Returns a token of the pod's service account, with its expiry. */
export type TokenSource = (pod: core.Pod, request: storage.TokenRequest) => Promise<BoundToken>;

/**
 * The volume context that a driver gets when it publishes a volume: the attributes of the volume and, if the driver requests them,
 * the pod (`podInfoOnMount`, KEP-603) and tokens of its service account (`tokenRequests`, KEP-2047).
 *
 * @throws Error if a token cannot be created
 */
export async function volumeContext(
  pod: core.Pod,
  { attributes, lifecycle }: CsiVolume,
  spec: storage.CSIDriverSpec | undefined,
  token: TokenSource,
): Promise<Readonly<Record<string, string>>> {
  const { name = "", namespace = "", uid = "" } = pod.metadata;
  const info = {
    "csi.storage.o8s.io/pod.name": name,
    "csi.storage.o8s.io/pod.namespace": namespace,
    "csi.storage.o8s.io/pod.uid": uid,
    "csi.storage.o8s.io/serviceAccount.name": pod.spec.serviceAccountName ?? "",
    "csi.storage.o8s.io/ephemeral": String(lifecycle === "Ephemeral"),
  };
  const requests = spec?.tokenRequests ?? [];
  const tokens: Record<string, object> = {};
  for (const request of requests) {
    const { token: text, expirationTimestamp } = await token(pod, request);
    tokens[request.audience] = { token: text, expirationTimestamp };
  }
  return {
    ...attributes,
    ...(spec?.podInfoOnMount === true && info),
    ...(requests.length > 0 && { "csi.storage.o8s.io/serviceAccount.tokens": JSON.stringify(tokens) }),
  };
}
