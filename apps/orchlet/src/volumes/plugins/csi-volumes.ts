import type { core } from "@orchernetes/api";
import type { CsiMounter } from "../../csi/csi-mounter.ts";
import { type CsiVolume, inlineCsiVolume, persistentCsiVolume, type SecretPlace } from "../../csi/csi-volume.ts";
import type { TokenSource } from "../../csi/volume-context.ts";
import type { ContentSources } from "../content/content.ts";
import { giveToGroup } from "../setup/ownership.ts";

/** Prepares the CSI volumes of pods. */
export interface CsiVolumes {
  readonly mounter: CsiMounter;
  readonly token: TokenSource;
}

/** What all volumes of a pod are prepared with. */
export interface PodRequest {
  readonly pod: core.Pod;
  readonly sources: ContentSources;
  /** Counts what the agent generates for the pod's volumes. @throws Error beyond a limit @default counts each volume alone */
  readonly countContent?: (bytes: number) => void;
  readonly signal: AbortSignal;
}

/** The path of a volume that is described in the pod. @throws RpcError; Error */
export const prepareInlineCsi = (
  { mounter, token }: CsiVolumes,
  request: PodRequest,
  name: string,
  source: core.CSIVolumeSource,
): Promise<string> => {
  const volume = inlineCsiVolume(request.pod, name, source);
  return mounter.prepare({ ...partsOf(request, volume), token, onExpanded: undefined });
};

/**
 * The path of a persistent volume.
 *
 * @param onExpanded called when the driver has enlarged the file system; undefined if it needs not
 * @throws RpcError; Error
 */
export const prepareClaimedCsi = (
  { mounter, token }: CsiVolumes,
  request: PodRequest,
  volume: core.PersistentVolume,
  csi: core.CSIPersistentVolumeSource,
  options: { readonly readOnly: boolean; readonly onExpanded: (() => Promise<void>) | undefined },
): Promise<string> => {
  const description = persistentCsiVolume(volume, csi, options.readOnly);
  return mounter.prepare({ ...partsOf(request, description), token, onExpanded: options.onExpanded });
};

function partsOf({ pod, sources, signal }: PodRequest, volume: CsiVolume) {
  const { fsGroup, fsGroupChangePolicy } = pod.spec.securityContext ?? {};
  return {
    pod,
    volume,
    signal,
    group: fsGroup,
    secret: (place: SecretPlace) => secretOf(sources, place),
    giveToGroup: async (path: string) => {
      if (fsGroup !== undefined) await giveToGroup(path, fsGroup, fsGroupChangePolicy);
    },
  };
}

/** The data of a secret as texts. */
async function secretOf({ objects }: ContentSources, { namespace, name }: SecretPlace) {
  const secret = await objects.secret(namespace, name);
  if (secret === undefined) throw new Error(`secret "${namespace}/${name}" of the CSI driver not found`);
  return Object.fromEntries(
    Object.entries(secret.data ?? {}).map(([key, value]) => [key, Buffer.from(value, "base64").toString("utf8")]),
  );
}
