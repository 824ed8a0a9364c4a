import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import { flagSection } from "@orchernetes/component";
import { inOrder, type Plan } from "@orchernetes/controller";
import { defineController } from "../../shared/define-controller.ts";
import { leases as leasesRef, nodes as nodesRef, pods as podsRef } from "../../shared/refs.ts";
import { type HealthTable, isKnownUnready, NodeMonitor, recordNodeEvent } from "./node-monitor.ts";
import { NodeTainter } from "./node-tainter.ts";
import { nodeIndex, startTaintEvictor } from "./taint-evictor.ts";
import { withNoScheduleTaints } from "./taints.ts";
import { followUnreadyPods } from "./unready-pods.ts";

/** Number of nodes, and of pods, that are synced concurrently; as in the original. */
const workers = 8;

type Node = Stored<core.Node>;
type SetTaints = { readonly type: "SetNoScheduleTaints" };

/**
 * Detects nodes that have stopped reporting, taints unready nodes, and evicts the pods that do not tolerate the taints:
 *
 * - {@link NodeMonitor} checks all nodes periodically, and sets the conditions of those that have stopped reporting to Unknown.
 * - {@link NodeTainter} adds NoExecute taints at the eviction rates of the zones.
 * - The taint evictor deletes pods without a toleration. All pods of an unready node are marked as not ready.
 * - NoSchedule taints follow the conditions of a node at once, with each change of the node.
 *
 * Source: "Nodes" (node controller) and "Taints and Tolerations" of the documentation.
 */
export const nodeLifecycleController = defineController({
  name: "nodelifecycle",
  serviceAccount: "node-controller",
  flags: flagSection("Node lifecycle controller", {
    "node-monitor-grace-period": {
      field: "NodeLifecycleController.NodeMonitorGracePeriod",
      type: "duration",
      default: "40s",
      min: 1,
      help: "How long a running node may be unresponsive before it is marked unhealthy. Must be several times the interval at which node agents report.",
    },
    "node-startup-grace-period": {
      field: "NodeLifecycleController.NodeStartupGracePeriod",
      type: "duration",
      default: "1m0s",
      min: 0,
      help: "How long a starting node may be unresponsive before it is marked unhealthy.",
    },
    "node-eviction-rate": {
      field: "NodeLifecycleController.NodeEvictionRate",
      type: "float",
      default: 0.1,
      min: 0,
      help: "Number of nodes per second whose pods are deleted on node failure while the zone is healthy.",
    },
    "secondary-node-eviction-rate": {
      field: "NodeLifecycleController.SecondaryNodeEvictionRate",
      type: "float",
      default: 0.01,
      min: 0,
      help: "Number of nodes per second whose pods are deleted on node failure while the zone is unhealthy; 0 in clusters up to --large-cluster-size-threshold.",
    },
    "large-cluster-size-threshold": {
      field: "NodeLifecycleController.LargeClusterSizeThreshold",
      type: "int",
      default: 50,
      min: 0,
      help: "Number of nodes up to which a cluster is considered small, which sets the secondary eviction rate to 0.",
    },
    "unhealthy-zone-threshold": {
      field: "NodeLifecycleController.UnhealthyZoneThreshold",
      type: "float",
      default: 0.55,
      min: 0,
      help: "Fraction of nodes that are not ready, at least three of them, above which a zone is considered unhealthy.",
    },
  }),
  settings: ({ document: { NodeLifecycleController: section, OrchCloudShared } }) => ({
    monitorPeriodMs: OrchCloudShared.NodeMonitorPeriod,
    gracePeriodMs: section.NodeMonitorGracePeriod,
    startupGracePeriodMs: section.NodeStartupGracePeriod,
    evictionRate: section.NodeEvictionRate,
    secondaryEvictionRate: section.SecondaryNodeEvictionRate,
    largeClusterSize: section.LargeClusterSizeThreshold,
    unhealthyThreshold: section.UnhealthyZoneThreshold,
  }),
  build(shell, settings) {
    const { context } = shell;
    const { client, clock, logger, recorder, signal } = context;
    const nodes = shell.informer(nodesRef);
    const leases = shell.informer(leasesRef);
    const pods = shell.informer(podsRef, { [nodeIndex]: ({ spec }) => spec.nodeName || undefined });
    const queue = shell.queue("node_lifecycle_controller");
    const health: HealthTable = new Map();
    const tainter = new NodeTainter({ client, nodes: nodes.lister, clock, logger });
    startTaintEvictor({ client, pods, nodes, recorder, clock, logger, signal });
    const unreadyPods = followUnreadyPods(shell, { pods, workers, isUnready: (name) => isKnownUnready(health, name) });
    const monitor = new NodeMonitor({
      context,
      health,
      nodes: nodes.lister,
      leases: leases.lister,
      tainter,
      limits: { gracePeriodMs: settings.gracePeriodMs, startupGracePeriodMs: settings.startupGracePeriodMs },
      zoneLimits: {
        evictionRate: settings.evictionRate,
        secondaryEvictionRate: settings.secondaryEvictionRate,
        largeClusterSize: settings.largeClusterSize,
        unhealthyThreshold: settings.unhealthyThreshold,
      },
      onUnready: unreadyPods.enqueueNode,
    });
    nodes.addHandler({
      onAdd(node) {
        const { name } = node.metadata;
        recordNodeEvent(recorder, node, "RegisteredNode", `Node ${name} event: Registered Node ${name} in Controller`);
        queue.add(name);
      },
      onUpdate: (_, { metadata }) => queue.add(metadata.name),
      onDelete(node) {
        const { name } = node.metadata;
        health.delete(name);
        tainter.forget(name);
        recordNodeEvent(recorder, node, "RemovingNode", `Node ${name} event: Removing Node ${name} from Controller`);
      },
    });
    shell.every(settings.monitorPeriodMs, () => monitor.checkAll(), { atOnce: true });
    shell.task((stopping) => tainter.run(stopping));
    shell.loop({
      queue,
      workers,
      gather: (name): Node | undefined => nodes.lister.get("", name),
      reconcile: (node, now): Plan<SetTaints> => {
        const isRight = withNoScheduleTaints(node, now) === undefined;
        return { actions: isRight ? [] : [{ type: "SetNoScheduleTaints" }] };
      },
      carryOut: inOrder<SetTaints, Node>({
        SetNoScheduleTaints: (_, node) => tainter.change(node, (latest) => withNoScheduleTaints(latest, clock.now())),
      }),
    });
  },
});
