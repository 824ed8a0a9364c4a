import { defineController, type ManagerShell } from "../../shared/define-controller.ts";
import { ClusterCidrs } from "./cluster-cidr/cluster-cidrs.ts";
import { NodeAllocator } from "./node-allocator.ts";
import { cidrSetMetrics } from "./ranges/cidr-metrics.ts";
import { CidrSet } from "./ranges/cidr-set.ts";
import { NodeRanges } from "./ranges/node-ranges.ts";
import { type NodeIpamSettings, nodeIpamFlags, nodeIpamSettings } from "./settings.ts";

/**
 * Gives each node the ranges of its pods' addresses, `spec.podCIDRs`, out of the ranges of the cluster: without ranges of services,
 * and those that nodes have. Runs with `--allocate-node-cidrs`.
 */
export const nodeIpamController = defineController({
  name: "nodeipam",
  // It shares the account with the controller of the nodes' lifecycle, as in the original.
  serviceAccount: "node-controller",
  eventSource: "cidrAllocator",
  gates: ["MultiCIDRRangeAllocator"],
  flags: nodeIpamFlags,
  settings: nodeIpamSettings,
  build(shell, settings) {
    if (!settings.isEnabled) return;
    if (settings.fromObjects) allocateFromObjects(shell, settings);
    else allocateFromFlags(shell, settings);
  },
});

/** `RangeAllocator`: one range of each family. */
function allocateFromFlags(shell: ManagerShell, { clusterRanges, serviceRanges }: NodeIpamSettings): void {
  const metrics = cidrSetMetrics(shell.context.metrics, "cidrset");
  const ranges = new NodeRanges(serviceRanges);
  const sets = clusterRanges.map(({ network, nodeBits }) => new CidrSet(network, nodeBits, metrics));
  const pools = [{ name: "cluster", sets, isOpen: true }];
  for (const pool of pools) ranges.addPool(pool);
  new NodeAllocator(shell, {
    queueName: "cidrallocator_node",
    ranges,
    poolsFor: () => pools,
    released: () => undefined,
  });
}

/** `MultiCIDRRangeAllocator`: the ranges of ClusterCIDR objects. */
function allocateFromObjects(shell: ManagerShell, { clusterRanges, serviceRanges }: NodeIpamSettings): void {
  const ranges = new NodeRanges(serviceRanges);
  const objects = new ClusterCidrs(shell, {
    ranges,
    metrics: cidrSetMetrics(shell.context.metrics, "multicidrset"),
    defaults: clusterRanges,
    opened: () => allocator.wake(),
  });
  const allocator = new NodeAllocator(shell, {
    queueName: "multi_cidr_range_allocator_nodes",
    ranges,
    poolsFor: (node) => objects.poolsOf(node),
    released: () => objects.released(),
  });
  shell.before(async () => {
    await objects.prepare();
    allocator.occupyAll();
  });
}
