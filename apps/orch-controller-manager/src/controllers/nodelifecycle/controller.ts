import { isConflict, isNotFound } from "@orchernetes/apimachinery";
import { runWorkers, WorkQueue } from "@orchernetes/controller";
import type { ControllerContext, ControllerDescriptor } from "../../shared/context.ts";
import { leases as leasesRef, nodes as nodesRef, pods as podsRef } from "../../shared/refs.ts";
import { assessNode, type Node, type NodeHealth } from "./node-health.ts";
import { NodeTainter } from "./node-tainter.ts";
import { nodeIndex, startTaintEvictor } from "./taint-evictor.ts";
import { withNoScheduleTaints } from "./taints.ts";
import { createUnreadyPods } from "./unready-pods.ts";
import { disruptionOf } from "./zones.ts";

/** Namespace of the nodes' leases. */
const leaseNamespace = "orch-node-lease";

/** Tells which nodes are alive, taints those that are not, and evicts their pods. */
export const nodeLifecycleController: ControllerDescriptor = {
  name: "nodelifecycle",
  serviceAccount: "node-controller",
  enabledByDefault: true,
  start: run,
};

async function run(context: ControllerContext): Promise<void> {
  const { client, clock, config, informers, logger, recorder, signal, queueMetrics } = context;
  const nodes = informers.informer(nodesRef);
  const leases = informers.informer(leasesRef);
  const pods = informers.informer(podsRef, { [nodeIndex]: ({ spec }) => spec.nodeName || undefined });
  const health = new Map<string, NodeHealth>();
  const queue = new WorkQueue({ name: "node_lifecycle_controller", clock, metrics: queueMetrics });
  const tainter = new NodeTainter({ client, nodes: nodes.lister, clock, logger });
  const isReady = ({ metadata }: Node): boolean => health.get(metadata.name)?.readyStatus === "True";

  const nodeEvent = (node: Node, reason: string, message: string): void =>
    // Events about nodes name them by their name alone, as the agents do.
    recorder.event(
      { kind: "Node", apiVersion: "v1", name: node.metadata.name, uid: node.metadata.uid },
      "Normal",
      reason,
      message,
    );

  startTaintEvictor({ client, pods, nodes, recorder, clock, logger, signal });
  const unreadyPods = createUnreadyPods({
    client,
    pods,
    isUnready(name) {
      const status = health.get(name)?.readyStatus;
      return status !== undefined && status !== "True";
    },
    recorder,
    clock,
    logger,
    queueMetrics,
    signal,
  });
  nodes.addHandler({
    onAdd(node) {
      const { name } = node.metadata;
      nodeEvent(node, "RegisteredNode", `Node ${name} event: Registered Node ${name} in Controller`);
      queue.add(name);
    },
    onUpdate: (_, { metadata }) => queue.add(metadata.name),
    onDelete(node) {
      const { name } = node.metadata;
      health.delete(name);
      tainter.forget(name);
      nodeEvent(node, "RemovingNode", `Node ${name} event: Removing Node ${name} from Controller`);
    },
  });

  const syncNoSchedule = async (name: string): Promise<undefined> => {
    const node = nodes.lister.get("", name);
    if (node !== undefined) await tainter.change(node, (latest) => withNoScheduleTaints(latest, clock.now()));
  };

  const limits = {
    gracePeriodMs: config.nodeMonitorGracePeriodMs,
    startupGracePeriodMs: config.nodeStartupGracePeriodMs,
  };
  const zoneLimits = {
    evictionRate: config.nodeEvictionRate,
    secondaryEvictionRate: config.secondaryNodeEvictionRate,
    largeClusterSize: config.largeClusterSizeThreshold,
    unhealthyThreshold: config.unhealthyZoneThreshold,
  };

  /** Runs work for every node; a failure is retried in the next pass. */
  const forAll = async (all: readonly Node[], work: (node: Node) => Promise<void>): Promise<void> => {
    await Promise.all(
      all.map(async (node) => {
        try {
          await work(node);
        } catch (error) {
          if (isNotFound(error) || isConflict(error) || signal.aborted) return;
          logger.error(error, "Monitoring a node failed", { node: node.metadata.name });
        }
      }),
    );
  };

  /** One node: is it alive, and does it say so. */
  const monitor = async (node: Node): Promise<void> => {
    const { name } = node.metadata;
    const lease = leases.lister.get(leaseNamespace, name);
    const before = health.get(name);
    const verdict = assessNode(node, lease, before, limits, clock.now());
    if (verdict.status !== undefined) {
      logger.info("A node is silent", { node: name });
      // On failure nothing is recorded, so that the next pass decides again.
      await client.resource(nodesRef).updateStatus({ ...node, status: verdict.status });
    }
    health.set(name, verdict.health);
    if (verdict.becameUnready) nodeEvent(node, "NodeNotReady", `Node ${name} status is now: NodeNotReady`);
    // An earlier process may have ended after the node became unready and before it marked the pods.
    if (verdict.becameUnready || (before === undefined && !isReady(node))) unreadyPods.enqueueNode(name);
  };

  let wasFull = false;
  const look = async (): Promise<void> => {
    const all = nodes.lister.list();
    await forAll(all, monitor);
    const { rates, isFull } = disruptionOf(all, zoneLimits, isReady);
    tainter.setRates(rates);
    if (isFull !== wasFull) {
      wasFull = isFull;
      logger.warn(isFull ? "No node is ready: evictions stop" : "Some nodes are ready again: evictions resume");
      // During a full disruption no node could report, so their grace periods start now.
      const nowMs = clock.now().getTime();
      if (!isFull) for (const [name, of] of health) health.set(name, { ...of, probedMs: nowMs, transitionMs: nowMs });
    }
    await forAll(all, (node) => {
      const latest = nodes.lister.get("", node.metadata.name) ?? node;
      return isFull ? tainter.spare(latest) : tainter.sync(latest);
    });
  };

  await Promise.all([nodes.waitForSync(signal), leases.waitForSync(signal), pods.waitForSync(signal)]);
  const loop = async (): Promise<void> => {
    while (!signal.aborted) {
      await look();
      await clock.sleep(config.nodeMonitorPeriodMs, signal).catch(() => undefined);
    }
  };
  await Promise.all([
    loop(),
    tainter.run(signal),
    unreadyPods.run(),
    runWorkers({ name: "nodelifecycle", queue, workers: 8, sync: syncNoSchedule, signal, logger, clock }),
  ]);
}
