import type { core } from "@orchernetes/api";
import { labelsOf, type ModelCluster, type ModelFilter, type Node, type Pod, podsOn } from "./reference-cluster.ts";
import { amount } from "./selectors.ts";
import { claimOf, claimsOf, classOf, volumeOf } from "./volume-filters.ts";

const EXCEEDED = "node(s) exceed max volume count";

/** An in-tree kind of disk: its plugin, its driver, the identity of a disk for either, and its limit on a node. */
interface InTree {
  readonly filter: string;
  readonly plugin: string;
  readonly driver: string;
  readonly id: (source: core.Volume | core.PersistentVolumeSpec) => string | undefined;
  readonly resource: string;
  readonly limit: (node: Node) => number;
}

const inTree: readonly InTree[] = [
  {
    filter: "EBSLimits",
    plugin: "orchernetes.io/aws-ebs",
    driver: "ebs.csi.aws.com",
    id: ({ awsElasticBlockStore }) => awsElasticBlockStore?.volumeID,
    resource: "attachable-volumes-aws-ebs",
    limit: (node) => (/^[cmr]5.*|t3|z1d/.test(labelsOf(node)["node.orchernetes.io/instance-type"] ?? "") ? 25 : 39),
  },
  {
    filter: "GCEPDLimits",
    plugin: "orchernetes.io/gce-pd",
    driver: "pd.csi.storage.gke.io",
    id: ({ gcePersistentDisk }) => gcePersistentDisk?.pdName,
    resource: "attachable-volumes-gce-pd",
    limit: () => 16,
  },
  {
    filter: "AzureDiskLimits",
    plugin: "orchernetes.io/azure-disk",
    driver: "disk.csi.azure.com",
    id: ({ azureDisk }) => azureDisk?.diskName,
    resource: "attachable-volumes-azure-disk",
    limit: () => 16,
  },
];

const csiNodeOf = ({ objects }: ModelCluster, node: Node) =>
  objects.csiNodes.find(({ metadata }) => metadata.name === node.metadata.name);

/** Whether the disks of a plugin count for its driver on a node. */
function isDrivers({ plugin }: InTree, node: Node, cluster: ModelCluster): boolean {
  const csiNode = csiNodeOf(cluster, node);
  if (csiNode === undefined) return false;
  const migrated = csiNode.metadata.annotations?.["storage.alpha.orchernetes.io/migrated-plugins"] ?? "";
  return plugin !== "orchernetes.io/gce-pd" || migrated.split(",").includes(plugin);
}

const missingClaim = (pod: Pod, cluster: ModelCluster): string | undefined =>
  claimsOf(pod).find(({ name }) => claimOf(cluster, pod.metadata.namespace, name) === undefined)?.name;

/** The disks of a kind that a pod has: names of volumes, and of claims that will have one. */
function inTreeDisks(kind: InTree, pod: Pod, cluster: ModelCluster): readonly string[] {
  const inline = (pod.spec.volumes ?? []).flatMap((volume) => kind.id(volume) ?? []);
  const claimed = claimsOf(pod).flatMap(({ name }) => {
    const claim = claimOf(cluster, pod.metadata.namespace, name);
    if (claim === undefined) return [];
    const volume = volumeOf(cluster, claim.spec.volumeName);
    if (volume !== undefined) return kind.id(volume.spec) ?? [];
    const provisioner = classOf(cluster, claim.spec.storageClassName)?.provisioner;
    return provisioner === kind.plugin ? [`claim ${pod.metadata.namespace}/${name}`] : [];
  });
  return [...inline, ...claimed];
}

const inTreeFilters = inTree.map(
  (kind): ModelFilter => ({
    plugin: kind.filter,
    refuses(pod, node, cluster) {
      if (pod.spec.volumes === undefined) return [];
      const missing = missingClaim(pod, cluster);
      if (missing !== undefined) return [`persistentvolumeclaim "${missing}" not found`];
      const wanted = inTreeDisks(kind, pod, cluster);
      if (wanted.length === 0 || isDrivers(kind, node, cluster)) return [];
      const there = new Set(podsOn(cluster, node.metadata.name).flatMap((other) => inTreeDisks(kind, other, cluster)));
      const added = new Set(wanted.filter((id) => !there.has(id)));
      const given = node.status.allocatable?.[kind.resource];
      const limit = given === undefined ? kind.limit(node) : amount(kind.resource, given);
      return added.size > 0 && there.size + added.size > limit ? [EXCEEDED] : [];
    },
  }),
);

/** The volumes of CSI drivers that a pod has on a node, as `driver` and identity. */
function csiVolumes(pod: Pod, node: Node, cluster: ModelCluster): readonly (readonly [driver: string, id: string])[] {
  const translated = (source: core.Volume | core.PersistentVolumeSpec): (readonly [string, string])[] =>
    inTree.flatMap((kind) => {
      const id = kind.id(source);
      return id !== undefined && isDrivers(kind, node, cluster) ? [[kind.driver, id] as const] : [];
    });
  const inline = (pod.spec.volumes ?? []).flatMap(translated);
  const claimed = claimsOf(pod).flatMap(({ name }): (readonly [string, string])[] => {
    const claim = claimOf(cluster, pod.metadata.namespace, name);
    if (claim === undefined) return [];
    const volume = volumeOf(cluster, claim.spec.volumeName);
    const csi = volume?.spec.csi;
    if (csi !== undefined) return [[csi.driver, csi.volumeHandle]];
    if (volume !== undefined) return translated(volume.spec);
    const provisioner = classOf(cluster, claim.spec.storageClassName)?.provisioner;
    if (provisioner === undefined) return [];
    const id = `claim ${pod.metadata.namespace}/${name}`;
    const kind = inTree.find(({ plugin }) => plugin === provisioner);
    if (kind === undefined) return [[provisioner, id]];
    return isDrivers(kind, node, cluster) ? [[kind.driver, id]] : [];
  });
  return [...inline, ...claimed];
}

const csiLimits: ModelFilter = {
  plugin: "NodeVolumeLimits",
  refuses(pod, node, cluster) {
    if (pod.spec.volumes === undefined) return [];
    const missing = missingClaim(pod, cluster);
    if (missing !== undefined) return [`persistentvolumeclaim "${missing}" not found`];
    const text = ([driver, id]: readonly [string, string]): string => `${driver}/${id}`;
    const there = podsOn(cluster, node.metadata.name).flatMap((other) => csiVolumes(other, node, cluster));
    const added = csiVolumes(pod, node, cluster).filter((one) => !there.map(text).includes(text(one)));
    const exceeds = added.some(([driver]) => {
      const reported = csiNodeOf(cluster, node)?.spec.drivers.find(({ name }) => name === driver)?.allocatable?.count;
      const given = node.status.allocatable?.[`attachable-volumes-csi-${driver}`];
      const limit = reported ?? (given === undefined ? undefined : amount("", given));
      const of = (all: readonly (readonly [string, string])[]): number =>
        new Set(all.filter(([by]) => by === driver).map(text)).size;
      return limit !== undefined && of(there) + of(added) > limit;
    });
    return exceeds ? [EXCEEDED] : [];
  },
};

const [ebs, gce, azure] = inTreeFilters;

/** In the order of the default profile. */
export const volumeLimits: readonly ModelFilter[] = [ebs, gce, csiLimits, azure].filter((one) => one !== undefined);
