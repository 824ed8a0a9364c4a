import type { core, storage } from "@orchernetes/api";
import { quantityOf } from "@orchernetes/apimachinery";
import { driverOfPlugin } from "@orchernetes/component-helpers";
import type { NodeTable } from "../../cache/node-table.ts";
import type { PodInfo } from "../../cache/pod-info.ts";
import { ClusterEvent, evictable, type FilterPlugin, lasting, type NodeFilter } from "../../framework/interfaces.ts";
import { amountShortfall, type Shortfall } from "../../framework/shortfall.ts";
import type { Volumes } from "../../volumes/volumes.ts";
import {
  type AttachableVolume,
  attachableVolumes,
  countsForDriver,
  limitResourceOf,
  migrationOf,
} from "./attachable-volumes.ts";
import { limitsHint } from "./volume-hints.ts";

const reasons = [evictable("node(s) exceed max volume count")];

/** How many volumes of a driver or plugin a node can have; undefined for no limit. */
type LimitOf = (by: string, node: core.Node, csiNode: storage.CSINode | undefined) => number | undefined;

const allocatable = ({ status }: core.Node, resource: string): number | undefined => {
  const quantity = status.allocatable?.[resource];
  return quantity === undefined ? undefined : quantityOf(quantity).value();
};

/** By driver or plugin: the volumes that the pod would add to the node, and how many more the node can have. */
interface Excess {
  readonly by: string;
  readonly added: number;
  readonly room: number;
}

type VolumesBy = ReadonlyMap<string, ReadonlySet<string>>;

/** The ids of volumes by driver or plugin. */
function idsBy(volumes: readonly AttachableVolume[]): VolumesBy {
  const ids = new Map<string, Set<string>>();
  for (const { by, id } of volumes) ids.set(by, (ids.get(by) ?? new Set()).add(id));
  return ids;
}

/** The attachable volumes of a pod, which are the same on all nodes whose plugins the same drivers have taken over. */
function ownVolumes(info: PodInfo, cluster: Volumes): (csiNode: storage.CSINode | undefined) => VolumesBy {
  const known = new Map<string, VolumesBy>();
  return (csiNode) => {
    const variant = migrationOf(csiNode);
    let found = known.get(variant);
    if (found === undefined) {
      found = idsBy(attachableVolumes(info, cluster, csiNode));
      known.set(variant, found);
    }
    return found;
  };
}

/**
 * The drivers and plugins of which the pod's volumes, with those of the pods that are there, are more than the node can have. For the
 * first one alone, no more volumes are counted than the node can have: a pod may have tens of thousands.
 */
function excesses(
  own: (csiNode: storage.CSINode | undefined) => VolumesBy,
  slot: number,
  nodes: NodeTable,
  cluster: Volumes,
  limitOf: LimitOf,
  onlyFirst: boolean,
): readonly Excess[] {
  const node = nodes.nodeAt(slot);
  if (node === undefined) return [];
  const name = nodes.nameOf(slot);
  const csiNode = cluster.csiNode(name);
  const limits = [...own(csiNode)].flatMap(([by, ids]) => {
    const limit = limitOf(by, node, csiNode);
    return limit === undefined ? [] : [{ by, ids, limit }];
  });
  if (limits.length === 0) return [];
  const there = idsBy(nodes.podsOn(name).flatMap((other) => attachableVolumes(other, cluster, csiNode)));
  const found: Excess[] = [];
  for (const { by, ids, limit } of limits) {
    const had = there.get(by);
    const room = limit - (had?.size ?? 0);
    let added = 0;
    for (const id of ids) {
      if (had?.has(id)) continue;
      added++;
      if (onlyFirst && added > room) return [{ by, added, room }];
    }
    if (added > 0 && added > room) found.push({ by, added, room });
  }
  return found;
}

const excessShortfall = ({ by, added, room }: Excess): Shortfall => ({
  ...amountShortfall("volumes", added, room),
  what: `volumes of ${by}`,
});

/**
 * @param concerns whether a volume may be limited by the filter on some node
 */
function limitFilter(
  name: string,
  cluster: Volumes,
  concerns: (by: string) => boolean,
  limitOf: LimitOf,
): FilterPlugin {
  return {
    name,
    events:
      ClusterEvent.CsiNode |
      ClusterEvent.PodDeleted |
      ClusterEvent.Claim |
      ClusterEvent.NodeAdded |
      ClusterEvent.NodeAllocatable,
    hint: limitsHint,
    outdatedBy: ({ pod }) => pod.spec.volumes !== undefined,
    filter(info, nodes): NodeFilter | undefined {
      if (info.pod.spec.volumes === undefined) return undefined;
      for (const key of info.claims) {
        const claimName = key.slice(info.namespace.length + 1);
        // Not a rejection of the pod: that of VolumeBinding, which says more, must come first.
        if (cluster.claim(info.namespace, claimName) === undefined)
          return { reasons: [lasting(`persistentvolumeclaim "${claimName}" not found`)], check: () => 1 };
      }
      if (!attachableVolumes(info, cluster, undefined).some(({ by }) => concerns(by))) return undefined;
      const own = ownVolumes(info, cluster);
      const excess = (slot: number, onlyFirst = false) => excesses(own, slot, nodes, cluster, limitOf, onlyFirst);
      return {
        reasons,
        check: (slot) => (excess(slot, true).length > 0 ? 1 : 0),
        podChanged: "unaffected",
        shortfalls: (slot) => excess(slot).map(excessShortfall),
      };
    },
  };
}

/**
 * Filter NodeVolumeLimits: a node has no more volumes of a CSI driver than the driver has reported in the CSINode, or an
 * administrator in the node's allocatable resources. A volume that several pods of the node use counts once.
 */
export function nodeVolumeLimits(cluster: Volumes): FilterPlugin {
  const concerns = (by: string): boolean => !by.startsWith("orchernetes.io/") || driverOfPlugin(by) !== undefined;
  return limitFilter("NodeVolumeLimits", cluster, concerns, (by, node, csiNode) => {
    if (by.startsWith("orchernetes.io/")) return undefined;
    const reported = csiNode?.spec.drivers.find(({ name }) => name === by)?.allocatable?.count;
    return reported ?? allocatable(node, limitResourceOf(by));
  });
}

/** Labels of nodes that name the machine type, the older name first. */
const TYPE_LABELS = ["beta.orchernetes.io/instance-type", "node.orchernetes.io/instance-type"];
/** Machines of EC2 that can have fewer volumes, because network cards take places of them, too. */
const NITRO = /^[cmr]5.*|t3|z1d/;

function ebsLimit({ metadata: { labels = {} } }: core.Node): number {
  const type = TYPE_LABELS.map((label) => labels[label]).find((value) => value !== undefined) ?? "";
  return NITRO.test(type) ? 25 : 39;
}

/** A filter of in-tree disks: name of the filter, plugin, resource of nodes with the limit, and limit without it. */
type InTreeLimit = readonly [name: string, plugin: string, resource: string, otherwise: (node: core.Node) => number];

/**
 * Filters EBSLimits, GCEPDLimits, AzureDiskLimits and CinderLimits: limits of in-tree disks, on nodes where no CSI driver
 * has taken over their work. The limit is that of the node's allocatable resources, or `maxVolumes`, or a default of the cloud.
 */
export const inTreeLimits: readonly ((cluster: Volumes, maxVolumes?: number) => FilterPlugin)[] = (
  [
    ["EBSLimits", "orchernetes.io/aws-ebs", "attachable-volumes-aws-ebs", ebsLimit],
    ["GCEPDLimits", "orchernetes.io/gce-pd", "attachable-volumes-gce-pd", () => 16],
    ["AzureDiskLimits", "orchernetes.io/azure-disk", "attachable-volumes-azure-disk", () => 16],
    ["CinderLimits", "orchernetes.io/cinder", "attachable-volumes-cinder", () => 256],
  ] as const satisfies readonly InTreeLimit[]
).map(
  ([name, plugin, resource, otherwise]) =>
    (cluster: Volumes, maxVolumes?: number) =>
      limitFilter(
        name,
        cluster,
        (by) => by === plugin,
        (by, node, csiNode) =>
          by === plugin && !countsForDriver(csiNode, plugin)
            ? (allocatable(node, resource) ?? maxVolumes ?? otherwise(node))
            : undefined,
      ),
);
