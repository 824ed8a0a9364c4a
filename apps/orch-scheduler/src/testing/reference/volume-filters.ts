import type { core } from "@orchernetes/api";
import { quantityOf } from "@orchernetes/apimachinery";
import { bindCompleted, type Claim, selectedNode, type Volume } from "@orchernetes/component-helpers";
import {
  labelsOf,
  type ModelCluster,
  type ModelFilter,
  type Node,
  type Pod,
  podsOn,
  type Verdict,
} from "./reference-cluster.ts";
import { type Labels, selects, termMatches } from "./selectors.ts";

export const claimOf = ({ objects }: ModelCluster, namespace: string | undefined, name: string): Claim | undefined =>
  objects.claims.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name);

export const volumeOf = ({ objects }: ModelCluster, name: string | undefined): Volume | undefined =>
  objects.volumes.find(({ metadata }) => metadata.name === name);

export const classOf = ({ objects }: ModelCluster, name: string | undefined) =>
  objects.classes.find(({ metadata }) => metadata.name === name);

interface ClaimName {
  readonly name: string;
  readonly ephemeral: boolean;
}

/** The claims of a pod in the order of its volumes. */
export const claimsOf = ({ metadata, spec }: Pod): readonly ClaimName[] =>
  (spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }): readonly ClaimName[] => {
    if (persistentVolumeClaim !== undefined) return [{ name: persistentVolumeClaim.claimName, ephemeral: false }];
    return ephemeral === undefined ? [] : [{ name: `${metadata.name}-${name}`, ephemeral: true }];
  });

function disksConflict(a: core.Volume, b: core.Volume): boolean {
  const both = <T extends { readonly readOnly?: boolean | undefined }>(
    x: T | undefined,
    y: T | undefined,
    same: (x: T, y: T) => boolean,
  ) => x !== undefined && y !== undefined && same(x, y) && !(x.readOnly && y.readOnly);
  const ebs = a.awsElasticBlockStore;
  return (
    both(a.gcePersistentDisk, b.gcePersistentDisk, (x, y) => x.pdName === y.pdName) ||
    (ebs !== undefined && ebs.volumeID === b.awsElasticBlockStore?.volumeID) ||
    both(a.iscsi, b.iscsi, (x, y) => x.iqn === y.iqn) ||
    both(
      a.rbd,
      b.rbd,
      (x, y) => x.pool === y.pool && x.image === y.image && x.monitors.some((one) => y.monitors.includes(one)),
    )
  );
}

export const volumeRestrictions: ModelFilter = {
  plugin: "VolumeRestrictions",
  rejects(pod, cluster) {
    const missing = claimsOf(pod).find(
      ({ name, ephemeral }) => !ephemeral && claimOf(cluster, pod.metadata.namespace, name) === undefined,
    );
    return missing && `persistentvolumeclaim "${missing.name}" not found`;
  },
  refuses(pod, node, cluster) {
    const { namespace } = pod.metadata;
    const taken = podsOn(cluster, node.metadata.name).some((other) =>
      (pod.spec.volumes ?? []).some((a) => (other.spec.volumes ?? []).some((b) => disksConflict(a, b))),
    );
    if (taken) return ["node(s) had no available disk"];
    const exclusive = claimsOf(pod).filter(
      ({ name, ephemeral }) =>
        !ephemeral && claimOf(cluster, namespace, name)?.spec.accessModes?.includes("ReadWriteOncePod"),
    );
    const inUse = exclusive.some(({ name }) =>
      cluster.nodes.some(({ metadata }) =>
        podsOn(cluster, metadata.name).some(
          (other) => other.metadata.namespace === namespace && claimsOf(other).some((one) => one.name === name),
        ),
      ),
    );
    return inUse
      ? ["node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode"]
      : [];
  },
};

const isAccessible = (volume: Volume, node: Node): boolean => {
  const terms = volume.spec.nodeAffinity?.required?.nodeSelectorTerms;
  return terms === undefined || terms.some((term) => termMatches(term, node));
};

const isBound = (claim: Claim): boolean =>
  Boolean(claim.spec.volumeName) && claim.metadata.annotations?.[bindCompleted] !== undefined;

const isDelayed = (claim: Claim, cluster: ModelCluster): boolean =>
  !claim.spec.volumeName && classOf(cluster, claim.spec.storageClassName)?.volumeBindingMode === "WaitForFirstConsumer";

const size = (text: string | undefined) => quantityOf(text ?? "0");
const sizeOf = (claim: Claim) => size(claim.spec.resources?.requests?.storage);

/** The volume that a claim would be bound to on a node: the one reserved for it, or else the smallest that suits. */
function matchingVolume(claim: Claim, node: Node, taken: readonly Volume[], cluster: ModelCluster): Volume | undefined {
  let smallest: Volume | undefined;
  for (const volume of cluster.objects.volumes) {
    const { claimRef, capacity, accessModes = [], volumeMode = "Filesystem", storageClassName = "" } = volume.spec;
    if (storageClassName !== (claim.spec.storageClassName ?? "") || taken.includes(volume)) continue;
    const { name, namespace, uid } = claim.metadata;
    const reserved =
      claimRef !== undefined &&
      claimRef.name === name &&
      claimRef.namespace === namespace &&
      (!claimRef.uid || claimRef.uid === uid);
    if (claimRef !== undefined && !reserved) continue;
    if (size(capacity?.storage).cmp(sizeOf(claim)) < 0) continue;
    if (volumeMode !== (claim.spec.volumeMode ?? "Filesystem")) continue;
    if (volume.metadata.deletionTimestamp !== undefined) continue;
    if (reserved) return isAccessible(volume, node) ? volume : undefined;
    if (volume.status?.phase !== "Available") continue;
    if (claim.spec.selector !== undefined && !selects(claim.spec.selector, volume.metadata.labels)) continue;
    if (!isAccessible(volume, node)) continue;
    if (!(claim.spec.accessModes ?? []).every((mode) => accessModes.includes(mode))) continue;
    if (smallest === undefined || size(capacity?.storage).cmp(size(smallest.spec.capacity?.storage)) < 0)
      smallest = volume;
  }
  return smallest;
}

const NO_VOLUME = "node(s) didn't find available persistent volumes to bind";
const NO_SPACE = "node(s) did not have enough free storage";

/** Why a volume cannot be created for a claim where a node can reach it. */
function provisioningRefusal(claim: Claim, node: Node, cluster: ModelCluster): string | undefined {
  const found = classOf(cluster, claim.spec.storageClassName);
  const { provisioner, allowedTopologies = [] } = found ?? {};
  if (!provisioner || provisioner === "orchernetes.io/no-provisioner") return NO_VOLUME;
  const labels = labelsOf(node);
  const allowed =
    allowedTopologies.length === 0 ||
    allowedTopologies.some(({ matchLabelExpressions = [] }) =>
      matchLabelExpressions.every(({ key, values }) => values.includes(labels[key] ?? "")),
    );
  if (!allowed) return NO_VOLUME;
  const driver = cluster.objects.csiDrivers.find(({ metadata }) => metadata.name === provisioner);
  if (driver?.spec.storageCapacity !== true) return undefined;
  const hasRoom = cluster.objects.capacities.some(({ storageClassName, nodeTopology, capacity, maximumVolumeSize }) => {
    const limit = maximumVolumeSize ?? capacity;
    return (
      storageClassName === found?.metadata.name &&
      limit !== undefined &&
      size(limit).cmp(sizeOf(claim)) >= 0 &&
      nodeTopology !== undefined &&
      selects(nodeTopology, labels)
    );
  });
  return hasRoom ? undefined : NO_SPACE;
}

/** The volumes for claims that are not bound yet, on a node; or why they cannot be bound there. */
function placementOf(
  claims: readonly Claim[],
  node: Node,
  cluster: ModelCluster,
): string | readonly (readonly [Claim, Volume])[] {
  const provision: Claim[] = [];
  const open: Claim[] = [];
  for (const claim of claims) {
    const selected = claim.metadata.annotations?.[selectedNode];
    if (selected === undefined) open.push(claim);
    else if (selected === node.metadata.name) provision.push(claim);
    else return NO_VOLUME;
  }
  const bindings: (readonly [Claim, Volume])[] = [];
  for (const claim of [...open].sort((a, b) => sizeOf(a).cmp(sizeOf(b)))) {
    const taken = bindings.map(([, volume]) => volume);
    const volume = matchingVolume(claim, node, taken, cluster);
    if (volume === undefined) provision.push(claim);
    else bindings.push([claim, volume]);
  }
  for (const claim of provision) {
    const why = provisioningRefusal(claim, node, cluster);
    if (why !== undefined) return why;
  }
  return bindings;
}

/** The claims of a pod that exist, and are bound or not. */
const existingClaims = (pod: Pod, cluster: ModelCluster): readonly Claim[] =>
  claimsOf(pod).flatMap(({ name }) => claimOf(cluster, pod.metadata.namespace, name) ?? []);

/** The volumes that would be bound to the claims of a pod on a node that fits. */
export function bindingsOn(pod: Pod, node: Node, cluster: ModelCluster): readonly (readonly [Claim, Volume])[] {
  const unbound = existingClaims(pod, cluster).filter((claim) => !isBound(claim));
  const placement = placementOf(unbound, node, cluster);
  return typeof placement === "string" ? [] : placement;
}

export const volumeBinding: ModelFilter = {
  plugin: "VolumeBinding",
  rejects(pod, cluster) {
    const claims: Claim[] = [];
    for (const { name, ephemeral } of claimsOf(pod)) {
      const claim = claimOf(cluster, pod.metadata.namespace, name);
      if (claim === undefined && ephemeral)
        return `waiting for ephemeral volume controller to create the persistentvolumeclaim "${name}"`;
      if (claim === undefined) return `persistentvolumeclaim "${name}" not found`;
      if (claim.status?.phase === "Lost")
        return `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${claim.spec.volumeName ?? ""}"`;
      if (claim.metadata.deletionTimestamp !== undefined) return `persistentvolumeclaim "${name}" is being deleted`;
      claims.push(claim);
    }
    return claims.every((claim) => isBound(claim) || isDelayed(claim, cluster))
      ? undefined
      : "pod has unbound immediate PersistentVolumeClaims";
  },
  refuses(pod, node, cluster) {
    const claims = existingClaims(pod, cluster);
    return [...boundRefusal(claims.filter(isBound), node, cluster), ...unboundRefusal(claims, node, cluster)];
  },
};

function unboundRefusal(claims: readonly Claim[], node: Node, cluster: ModelCluster): Verdict {
  const placement = placementOf(
    claims.filter((claim) => !isBound(claim)),
    node,
    cluster,
  );
  return typeof placement === "string" ? [placement] : [];
}

/** The first volume that does not exist, or that the node cannot reach, decides. */
function boundRefusal(claims: readonly Claim[], node: Node, cluster: ModelCluster): Verdict {
  for (const { spec } of claims) {
    const volume = volumeOf(cluster, spec.volumeName);
    if (volume === undefined) return ["node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"];
    if (!canReach(volume, node, cluster)) return ["node(s) had volume node affinity conflict"];
  }
  return [];
}

/** The labels by which drivers that took over in-tree volumes know zones. */
const DRIVER_ZONES: Readonly<Record<string, string>> = {
  "orchernetes.io/aws-ebs": "topology.ebs.csi.aws.com/zone",
  "orchernetes.io/gce-pd": "topology.gke.io/zone",
};
const ZONES = ["topology.orchernetes.io/zone", "failure-domain.beta.orchernetes.io/zone"];

/** Whether a node can reach a volume. Where a driver took over the work, its labels count. */
function canReach(volume: Volume, node: Node, { objects }: ModelCluster): boolean {
  const plugin = volume.spec.awsElasticBlockStore
    ? "orchernetes.io/aws-ebs"
    : volume.spec.gcePersistentDisk
      ? "orchernetes.io/gce-pd"
      : "";
  const csiNode = objects.csiNodes.find(({ metadata }) => metadata.name === node.metadata.name);
  const migrated = csiNode?.metadata.annotations?.["storage.alpha.orchernetes.io/migrated-plugins"]?.split(",") ?? [];
  if (plugin === "" || !migrated.includes(plugin)) return isAccessible(volume, node);
  return isAccessible(asDriverKnowsIt(volume, DRIVER_ZONES[plugin] ?? ""), node);
}

/** The zones of the affinity, or else those of the labels, under the driver's label. */
function asDriverKnowsIt(volume: Volume, key: string): Volume {
  const terms = volume.spec.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  const rename = (one: core.NodeSelectorRequirement) => (ZONES.includes(one.key) ? { ...one, key } : one);
  const renamed = terms.map((term) => ({ ...term, matchExpressions: term.matchExpressions?.map(rename) ?? [] }));
  const inTerms = terms.some(({ matchExpressions = [] }) => matchExpressions.some((one) => ZONES.includes(one.key)));
  const label = ZONES.map((zone) => volume.metadata.labels?.[zone]).find((value) => value !== undefined);
  const zones = (label ?? "").split("__").filter((zone) => zone !== "");
  const own = { key, operator: "In" as const, values: zones };
  const added =
    inTerms || zones.length === 0
      ? renamed
      : (renamed.length === 0 ? [{ matchExpressions: [] }] : renamed).map((term) => ({
          ...term,
          matchExpressions: [...term.matchExpressions, own],
        }));
  if (added.length === 0) return volume;
  return { ...volume, spec: { ...volume.spec, nodeAffinity: { required: { nodeSelectorTerms: added } } } } as Volume;
}

const ZONE_LABELS: readonly (readonly [string, string])[] = [
  ["failure-domain.beta.orchernetes.io/zone", "topology.orchernetes.io/zone"],
  ["failure-domain.beta.orchernetes.io/region", "topology.orchernetes.io/region"],
  ["topology.orchernetes.io/zone", "topology.orchernetes.io/zone"],
  ["topology.orchernetes.io/region", "topology.orchernetes.io/region"],
];

export const volumeZone: ModelFilter = {
  plugin: "VolumeZone",
  rejects(pod, cluster) {
    for (const { name, ephemeral } of claimsOf(pod)) {
      if (ephemeral) continue;
      const claim = claimOf(cluster, pod.metadata.namespace, name);
      if (claim === undefined) return `persistentvolumeclaim "${name}" not found`;
      const { volumeName, storageClassName } = claim.spec;
      if (volumeName && volumeOf(cluster, volumeName) === undefined)
        return `persistentvolume "${volumeName}" not found`;
      if (volumeName) continue;
      if (!storageClassName) return "PersistentVolumeClaim had no pv name and storageClass name";
      const found = classOf(cluster, storageClassName);
      if (found === undefined) return `storageclass.storage.o8s.io "${storageClassName}" not found`;
      if (found.volumeBindingMode !== "WaitForFirstConsumer") return "PersistentVolume had no name";
    }
    return undefined;
  },
  refuses(pod, node, cluster) {
    const labels = labelsOf(node);
    if (!ZONE_LABELS.some(([key]) => Object.hasOwn(labels, key))) return [];
    const fits = claimsOf(pod).every(({ name, ephemeral }) => {
      const volume = ephemeral
        ? undefined
        : volumeOf(cluster, claimOf(cluster, pod.metadata.namespace, name)?.spec.volumeName);
      return volume === undefined || isInZones(volume, labels);
    });
    return fits ? [] : ["node(s) had no available volume zone"];
  },
};

const isInZones = (volume: Volume, labels: Labels): boolean =>
  ZONE_LABELS.every(([key, newer]) => {
    const zones = volume.metadata.labels?.[key]?.split("__").map((zone) => zone.trim());
    if (zones === undefined || zones.includes("")) return true;
    const value = labels[key] ?? labels[newer];
    return value !== undefined && zones.includes(value);
  });
