import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import { inOrder, type Plan } from "@orchernetes/controller";
import { defineController } from "../../shared/define-controller.ts";
import { leases as leasesRef, nodes as nodesRef, pods as podsRef } from "../../shared/refs.ts";
import { recordNodeEvent } from "./node-events.ts";
import { type HealthTable, isKnownUnready, NodeMonitor } from "./node-monitor.ts";
import { NodeTainter } from "./node-tainter.ts";
import { nodeIndex, startTaintEvictor } from "./taint-evictor.ts";
import { withNoScheduleTaints } from "./taints.ts";
import { followUnreadyPods } from "./unready-pods.ts";

/** Nodes, and pods, worked on at the same time. */
const workers = 8;

type Node = Stored<core.Node>;
type SetTaints = { readonly type: "SetNoScheduleTaints" };

/** Finds out which nodes are alive, taints those that are not, and evicts their pods. */
export const nodeLifecycleController = defineController({
  name: "nodelifecycle",
  serviceAccount: "node-controller",
  build(shell) {
    const { context } = shell;
    const { client, clock, config, logger, recorder, signal } = context;
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
      limits: {
        gracePeriodMs: config.nodeMonitorGracePeriodMs,
        startupGracePeriodMs: config.nodeStartupGracePeriodMs,
      },
      zoneLimits: {
        evictionRate: config.nodeEvictionRate,
        secondaryEvictionRate: config.secondaryNodeEvictionRate,
        largeClusterSize: config.largeClusterSizeThreshold,
        unhealthyThreshold: config.unhealthyZoneThreshold,
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
    shell.every(config.nodeMonitorPeriodMs, () => monitor.look(), { atOnce: true });
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
