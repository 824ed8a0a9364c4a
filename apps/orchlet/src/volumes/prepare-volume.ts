import type { core } from "@orchernetes/api";
import type { Client } from "@orchernetes/client";
import { translateInlineVolume, translateVolume } from "@orchernetes/component-helpers";
import type { LastKnown } from "../objects/last-known.ts";
import type { Paths } from "../util/paths.ts";
import { needsExpansion, recordExpansion } from "./claim-expansion.ts";
import { isSecret, writeApiVolume } from "./content/api-volume.ts";
import { contentOf, isApiVolume } from "./content/content.ts";
import { type CsiVolumes, type PodRequest, prepareClaimedCsi, prepareInlineCsi } from "./plugins/csi-volumes.ts";
import { prepareEmptyDir } from "./plugins/empty-dir.ts";
import type { FlexDrivers } from "./plugins/flex-driver.ts";
import { prepareFlexVolume } from "./plugins/flex-volume.ts";
import { prepareHostPath } from "./plugins/host-path.ts";
import { hugePageBytes } from "./plugins/huge-pages.ts";
import { prepareNfs } from "./plugins/nfs.ts";
import { type BoundClaim, isExclusive, isReadOnly, prepareHostVolume, readClaim } from "./plugins/persistent-volume.ts";
import { unsupportedVolume } from "./plugins/unsupported.ts";
import { takeVolume } from "./take-volume.ts";

/** A volume that containers can use. */
export interface PreparedVolume {
  readonly path: string;
  readonly readOnly: boolean;
  /** Whether the path is that of a device, for `volumeDevices`, and not of a folder, for `volumeMounts`. @default false */
  readonly block?: boolean | undefined;
}

/** What preparing volumes needs. */
export interface VolumeTools {
  readonly paths: Paths;
  readonly nodeName: string;
  readonly client: Client | undefined;
  readonly lastKnown: LastKnown;
  /** Whether this process may mount; if not, secrets are stored in folders that only containers and root can access. */
  readonly mayMount: boolean;
  /** Undefined without an API server, which has what drivers and volumes are. */
  readonly csi?: CsiVolumes | undefined;
  readonly flex: FlexDrivers;
  /** Memory that a pod may take at most, and with it its volumes in memory. @default no limit */
  readonly memoryBytes?: (pod: core.Pod) => number | undefined;
  /** Program that mounts network file systems (`--experimental-mounter-path`). */
  readonly mounter: string;
}

/** Folders of volumes are named after their plugins, as in the original. */
const plugins = {
  emptyDir: "empty-dir",
  configMap: "configmap",
  secret: "secret",
  downwardAPI: "downward-api",
  projected: "projected",
} as const;
const nfsPlugin = "nfs";

/** Prepares one volume of a pod. @throws Error with what is missing */
export async function prepareVolume(
  tools: VolumeTools,
  request: PodRequest,
  volume: core.Volume,
): Promise<PreparedVolume> {
  const { paths, mayMount } = tools;
  const { pod, sources } = request;
  const { uid = "", name: podName = "" } = pod.metadata;
  const { fsGroup } = pod.spec.securityContext ?? {};
  const { name, hostPath, persistentVolumeClaim, ephemeral, emptyDir, nfs, csi, flexVolume } = volume;
  if (hostPath !== undefined) return { path: await prepareHostPath(hostPath), readOnly: false };
  if (persistentVolumeClaim !== undefined) {
    const { claimName, readOnly = false } = persistentVolumeClaim;
    return prepareClaim(tools, request, name, { claimName, readOnly, owner: undefined });
  }
  if (ephemeral !== undefined)
    return prepareClaim(tools, request, name, {
      claimName: `${podName}-${name}`,
      readOnly: false,
      owner: pod.metadata,
    });
  if (emptyDir !== undefined) {
    const path = paths.volume(uid, plugins.emptyDir, name);
    await prepareEmptyDir(path, paths.plugin(uid, plugins.emptyDir, name), emptyDir, {
      ...{ fsGroup, paths },
      memoryBytes: tools.memoryBytes?.(pod),
      pageBytes: () => hugePageBytes(emptyDir.medium ?? "", pod),
    });
    return { path, readOnly: false };
  }
  if (isApiVolume(volume)) {
    const plugin = Object.entries(plugins).find(([key]) => volume[key as keyof core.Volume] !== undefined)?.[1];
    const path = paths.volume(uid, plugin ?? plugins.projected, name);
    const content = await contentOf(pod, volume, sources, request.countContent);
    await writeApiVolume(path, content, { inMemory: mayMount && isSecret(volume), fsGroup, paths });
    return { path, readOnly: true };
  }
  if (csi !== undefined) {
    const path = await prepareInlineCsi(csiOf(tools), request, name, csi);
    return { path, readOnly: csi.readOnly ?? false };
  }
  if (nfs !== undefined) {
    const path = paths.volume(uid, nfsPlugin, name);
    const readOnly = nfs.readOnly ?? false;
    await prepareNfs(path, nfs, { readOnly, mountOptions: [], program: tools.mounter, paths });
    return { path, readOnly };
  }
  if (flexVolume !== undefined)
    return prepareFlex(tools, request, name, flexVolume, pod.metadata.namespace ?? "", flexVolume.readOnly ?? false);
  const migrated = translateInlineVolume(volume, pod.metadata.namespace ?? "");
  if (migrated === undefined) throw unsupportedVolume(volume);
  const { csi: source } = migrated.spec;
  const inTree = { metadata: { name: migrated.name }, spec: migrated.spec, status: {} };
  const path = await prepareClaimedCsi(csiOf(tools), request, inTree, source, {
    readOnly: false,
    onExpanded: undefined,
  });
  return { path, readOnly: source.readOnly ?? false };
}

/** Prepares the volume to which a claim is bound. */
async function prepareClaim(
  tools: VolumeTools,
  request: PodRequest,
  name: string,
  use: { readonly claimName: string; readonly readOnly: boolean; readonly owner: core.Pod["metadata"] | undefined },
): Promise<PreparedVolume> {
  const { client, lastKnown, paths, nodeName } = tools;
  const { pod } = request;
  const { uid = "", namespace = "" } = pod.metadata;
  if (client === undefined) throw new Error("persistent volumes need an API server");
  const { claimName, owner } = use;
  const bound = await lastKnown.read(uid, `claim/${namespace}/${claimName}`, () =>
    readClaim(client, namespace, claimName, owner),
  );
  const readOnly = use.readOnly || isReadOnly(bound);
  const exclusive = isExclusive(bound);
  const onHost = await prepareHostVolume(bound, { nodeName, localVolumes: paths.localVolumes });
  if (onHost !== undefined) {
    await takeVolume(paths, pod, name, { ...onHost, exclusive, readOnly });
    return { path: onHost.path, readOnly, block: onHost.block };
  }
  // The CSI driver that took over an in-tree kind knows the volume in another form (KEP-625).
  const volume = translateVolume(bound.volume);
  const { csi } = volume.spec;
  // Before it is published, so that a second pod gets nothing.
  if (exclusive)
    await takeVolume(paths, pod, name, {
      path: csi === undefined ? bound.volume.metadata.name : `${csi.driver}^${csi.volumeHandle}`,
      local: false,
      block: false,
      exclusive,
      readOnly,
    });
  if (csi === undefined) return prepareNetworkVolume(tools, request, bound, readOnly);
  const onExpanded = needsExpansion(bound) ? () => recordExpansion(client, bound) : undefined;
  const path = await prepareClaimedCsi(csiOf(tools), request, volume, csi, { readOnly, onExpanded });
  return { path, readOnly: readOnly || (csi.readOnly ?? false), block: volume.spec.volumeMode === "Block" };
}

/** Prepares a persistent volume of kind nfs or flexVolume. */
async function prepareNetworkVolume(
  tools: VolumeTools,
  request: PodRequest,
  { volume }: BoundClaim,
  claimedReadOnly: boolean,
): Promise<PreparedVolume> {
  const { paths, mounter } = tools;
  const { uid = "", namespace = "" } = request.pod.metadata;
  const { name } = volume.metadata;
  const { nfs, flexVolume, mountOptions = [] } = volume.spec;
  if (nfs !== undefined) {
    const path = paths.volume(uid, nfsPlugin, name);
    const readOnly = claimedReadOnly || (nfs.readOnly ?? false);
    await prepareNfs(path, nfs, { readOnly, mountOptions, program: mounter, paths });
    return { path, readOnly };
  }
  if (flexVolume !== undefined) {
    const readOnly = claimedReadOnly || (flexVolume.readOnly ?? false);
    return prepareFlex(tools, request, name, flexVolume, flexVolume.secretRef?.namespace ?? namespace, readOnly);
  }
  const { capacity: _, accessModes: __, claimRef: ___, ...source } = volume.spec;
  throw unsupportedVolume(source);
}

async function prepareFlex(
  { flex, paths }: VolumeTools,
  { pod, sources }: PodRequest,
  name: string,
  source: core.FlexVolumeSource | core.FlexPersistentVolumeSource,
  namespace: string,
  readOnly: boolean,
): Promise<PreparedVolume> {
  const { driver, fsType = "", options = {}, secretRef } = source;
  const secret = secretRef === undefined ? undefined : await sources.objects.secret(namespace, secretRef.name ?? "");
  if (secretRef !== undefined && secret === undefined)
    throw new Error(`secret "${namespace}/${secretRef.name ?? ""}" of FlexVolume driver ${driver} not found`);
  const volume = { driver, fsType, readOnly, options, secret: secret?.data ?? {} };
  return { path: await prepareFlexVolume(pod, name, volume, { drivers: flex, paths }), readOnly };
}

function csiOf({ csi }: VolumeTools): CsiVolumes {
  if (csi !== undefined) return csi;
  throw new Error("CSI volumes need an API server");
}
