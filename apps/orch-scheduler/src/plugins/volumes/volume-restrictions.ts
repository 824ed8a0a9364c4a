import type { core } from "@orchernetes/api";
import type { NodeTable } from "../../cache/node-table.ts";
import type { PodInfo } from "../../cache/pod-info.ts";
import { stateKey } from "../../framework/cycle-state.ts";
import {
  ClusterEvent,
  evictable,
  type FilterPlugin,
  type PodRejection,
  type PreFilterPlugin,
} from "../../framework/interfaces.ts";
import type { Shortfall } from "../../framework/shortfall.ts";
import type { Volumes } from "../../volumes/volumes.ts";
import { restrictionsHint } from "./volume-hints.ts";

const DISK_CONFLICT = 1;
const CLAIM_CONFLICT = 2;
const reasons = [
  evictable("node(s) had no available disk"),
  evictable("node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode"),
];

/** Whether one of the pod's exclusive claims is in use. */
const claimInUse = stateKey<boolean>("VolumeRestrictions");

/** Whether two pods on one node may not use these volumes, because they are the same disk, which one of them writes. */
function conflict(a: core.Volume, b: core.Volume): boolean {
  const gce = a.gcePersistentDisk;
  if (gce !== undefined && gce.pdName === b.gcePersistentDisk?.pdName)
    return !(gce.readOnly && b.gcePersistentDisk.readOnly);
  const ebs = a.awsElasticBlockStore;
  if (ebs !== undefined && ebs.volumeID === b.awsElasticBlockStore?.volumeID) return true;
  const iscsi = a.iscsi;
  if (iscsi !== undefined && iscsi.iqn === b.iscsi?.iqn) return !(iscsi.readOnly && b.iscsi.readOnly);
  const [rbd, other] = [a.rbd, b.rbd];
  if (rbd === undefined || other === undefined) return false;
  const same = rbd.pool === other.pool && rbd.image === other.image;
  return same && rbd.monitors.some((monitor) => other.monitors.includes(monitor)) && !(rbd.readOnly && other.readOnly);
}

const isDisk = ({ gcePersistentDisk, awsElasticBlockStore, iscsi, rbd }: core.Volume): boolean =>
  (gcePersistentDisk ?? awsElasticBlockStore ?? iscsi ?? rbd) !== undefined;

/** Equal for volumes that may be the same disk. */
const diskOf = ({ gcePersistentDisk, awsElasticBlockStore, iscsi, rbd }: core.Volume): string =>
  JSON.stringify([gcePersistentDisk?.pdName, awsElasticBlockStore?.volumeID, iscsi?.iqn, rbd?.pool, rbd?.image]);

/** Whether one of a pod's disks conflicts with another volume. Disks are found by what they are: a pod may have tens of thousands. */
function conflictWith(disks: readonly core.Volume[]): (other: core.Volume) => boolean {
  const byDisk = new Map<string, Map<string, core.Volume>>();
  for (const disk of disks) {
    const same = byDisk.get(diskOf(disk)) ?? new Map<string, core.Volume>();
    byDisk.set(diskOf(disk), same.set(JSON.stringify({ ...disk, name: "" }), disk));
  }
  return (other) =>
    isDisk(other) && [...(byDisk.get(diskOf(other))?.values() ?? [])].some((disk) => conflict(disk, other));
}

const CLAIM_TAKEN: Shortfall = {
  what: "claims with access mode ReadWriteOncePod",
  needed: "used by no other pod",
  available: "used by another pod of the cluster",
};

/** The disks of a pod that another pod of the node uses. */
const usedDisks = (disks: readonly core.Volume[], others: readonly core.Volume[], by: string): readonly Shortfall[] =>
  disks
    .filter((disk) => others.some((other) => conflict(disk, other)))
    .map(({ name }) => ({ what: `disk of volume ${name}`, needed: "free", available: `used by pod ${by}` }));

/** Whether one of the pod's exclusive claims (KEP-2485) is in use; or the refusal of a pod whose claim does not exist. */
function exclusiveClaimInUse({ pod, namespace }: PodInfo, nodes: NodeTable, cluster: Volumes): boolean | PodRejection {
  let inUse = false;
  for (const { persistentVolumeClaim } of pod.spec.volumes ?? []) {
    if (persistentVolumeClaim === undefined) continue;
    const { claimName } = persistentVolumeClaim;
    const claim = cluster.claim(namespace, claimName);
    if (claim === undefined) return { rejected: `persistentvolumeclaim "${claimName}" not found` };
    if (!claim.spec.accessModes?.includes("ReadWriteOncePod")) continue;
    inUse ||= nodes.usersOfClaim(`${namespace}/${claimName}`) > 0;
  }
  return inUse;
}

/**
 * Filter VolumeRestrictions: a disk is not written by two pods on a node, and a claim with access mode ReadWriteOncePod is
 * used by one pod of the whole cluster. Evicting the other pod helps.
 *
 * @param hasExclusiveClaims feature gate ReadWriteOncePod
 */
export function volumeRestrictions(cluster: Volumes, hasExclusiveClaims = true): PreFilterPlugin & FilterPlugin {
  const isInUse = (info: PodInfo, nodes: NodeTable): boolean | PodRejection =>
    hasExclusiveClaims && exclusiveClaimInUse(info, nodes, cluster);

  return {
    name: "VolumeRestrictions",
    events: ClusterEvent.PodDeleted | ClusterEvent.NodeAdded | ClusterEvent.Claim,
    hint: restrictionsHint(isDisk),
    outdatedBy: ({ pod }) => pod.spec.volumes !== undefined,
    preFilter(info, nodes, state) {
      if (info.pod.spec.volumes === undefined) return "skip";
      const inUse = isInUse(info, nodes);
      if (typeof inUse === "object") return inUse;
      state.set(claimInUse, inUse);
      return undefined;
    },
    filter(info, nodes, state) {
      const { volumes } = info.pod.spec;
      if (volumes === undefined) return undefined;
      const inUse = state.get(claimInUse) ?? isInUse(info, nodes);
      if (typeof inUse === "object") return inUse;
      const disks = volumes.filter(isDisk);
      if (!inUse && disks.length === 0) return undefined;
      const conflicts = conflictWith(disks);
      const isTaken = (slot: number): boolean =>
        nodes.podsOn(nodes.nameOf(slot)).some(({ pod }) => pod.spec.volumes?.some(conflicts));
      return {
        reasons,
        check(slot) {
          if (disks.length > 0 && isTaken(slot)) return DISK_CONFLICT;
          return inUse ? CLAIM_CONFLICT : 0;
        },
        shortfalls(slot) {
          const disksTaken = nodes
            .podsOn(nodes.nameOf(slot))
            .flatMap(({ key, pod }) => usedDisks(disks, pod.spec.volumes ?? [], key));
          return inUse ? [...disksTaken, CLAIM_TAKEN] : disksTaken;
        },
      };
    },
  };
}
