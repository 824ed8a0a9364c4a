import type { core } from "@orchernetes/api";
import { formatTime, isConflict, isNotFound } from "@orchernetes/apimachinery";
import { createTokenBucket, type RateLimiter } from "@orchernetes/client";
import { isPodReady, runWorkers, WorkQueue } from "@orchernetes/controller";
import type { ControllerContext, ControllerDescriptor } from "../../shared/context.ts";
import { leases as leasesRef, nodes as nodesRef, pods as podsRef } from "../../shared/refs.ts";
import { assessNode, type Node, type NodeHealth } from "./node-health.ts";
import { nodeIndex, startTaintEvictor } from "./taint-evictor.ts";
import { evictionTaint, withEvictionTaint, withNoScheduleTaints } from "./taints.ts";
import { evictionRates, zoneOf } from "./zones.ts";

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
  const { client, clock, config, informers, logger, recorder, signal } = context;
  const nodes = informers.informer(nodesRef);
  const leases = informers.informer(leasesRef);
  const pods = informers.informer(podsRef, { [nodeIndex]: ({ spec }) => spec.nodeName || undefined });
  const health = new Map<string, NodeHealth>();
  const queue = new WorkQueue({ name: "node_lifecycle_controller", clock, metrics: context.queueMetrics });
  /** One limiter per zone, made anew when the zone's rate changes. */
  const limiters = new Map<string, { readonly rate: number; readonly limiter: RateLimiter }>();

  const nodeEvent = (node: Node, reason: string, message: string): void =>
    // Events about nodes name them by their name alone, as the agents do.
    recorder.event(
      { kind: "Node", apiVersion: "v1", name: node.metadata.name, uid: node.metadata.uid },
      "Normal",
      reason,
      message,
    );

  startTaintEvictor({ client, pods, nodes, recorder, clock, logger, signal });
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
      nodeEvent(node, "RemovingNode", `Node ${name} event: Removing Node ${name} from Controller`);
    },
  });

  const setTaints = async (node: Node, taints: readonly core.Taint[]): Promise<void> => {
    const { name, resourceVersion, uid } = node.metadata;
    // The version guards against undoing what somebody else does to the list at the same time.
    await client.resource(nodesRef).patch(name, { metadata: { uid, resourceVersion }, spec: { taints } });
  };

  const syncNoSchedule = async (name: string): Promise<undefined> => {
    const node = nodes.lister.get("", name);
    const taints = node && withNoScheduleTaints(node, clock.now());
    if (node === undefined || taints === undefined) return;
    await setTaints(node, taints).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  };

  const markPodsUnready = async (name: string): Promise<void> => {
    const ready = pods.lister.byIndex(nodeIndex, name).filter(isPodReady);
    const condition = { type: "Ready", status: "False", lastTransitionTime: formatTime(clock.now()) };
    await Promise.all(
      ready.map(async ({ metadata }) => {
        const patch = { metadata: { uid: metadata.uid }, status: { conditions: [condition] } };
        const resource = client.resource(podsRef).namespace(metadata.namespace ?? "");
        try {
          await resource.patch(metadata.name, patch, { type: "strategic", subresource: "status" });
        } catch (error) {
          if (!isNotFound(error)) logger.error(error, "Marking a pod unready failed", { pod: metadata.name });
        }
      }),
    );
  };

  const limiterOf = (zone: string, rate: number): RateLimiter => {
    const known = limiters.get(zone);
    if (known?.rate === rate) return known.limiter;
    const limiter = createTokenBucket({ qps: rate, burst: 1, clock });
    limiters.set(zone, { rate, limiter });
    return limiter;
  };

  const limits = {
    gracePeriodMs: config.nodeMonitorGracePeriodMs,
    startupGracePeriodMs: config.nodeStartupGracePeriodMs,
  };

  /** One node: is it alive, and does it say so. */
  const monitor = async (node: Node): Promise<void> => {
    const { name } = node.metadata;
    const lease = leases.lister.get(leaseNamespace, name);
    const verdict = assessNode(node, lease, health.get(name), limits, clock.now());
    if (verdict.status !== undefined) {
      logger.info("A node is silent", { node: name });
      // On failure nothing is remembered, so that the next look decides anew.
      await client.resource(nodesRef).updateStatus({ ...node, status: verdict.status });
    }
    health.set(name, verdict.health);
    if (verdict.becameUnready) {
      nodeEvent(node, "NodeNotReady", `Node ${name} status is now: NodeNotReady`);
      await markPodsUnready(name);
    }
  };

  /** Nodes that wait for their turn to be tainted for eviction, by zone. */
  const waiting = new Map<string, Promise<void>>();

  const syncEviction = async (node: Node, rate: number): Promise<void> => {
    const key = evictionTaint(node);
    const taints = withEvictionTaint(node, key, clock.now());
    if (taints === undefined) return;
    const { name } = node.metadata;
    const has = (node.spec.taints ?? []).some(
      (taint) => taint.effect === "NoExecute" && taint.key.startsWith("node.orchernetes.io/"),
    );
    // Taking a taint off, or changing one for the other, evicts nobody new.
    if (key === undefined || has) {
      await setTaints(node, taints);
      return;
    }
    if (rate <= 0 || waiting.has(name)) return;
    const turn = limiterOf(zoneOf(node), rate).take(signal) ?? Promise.resolve();
    const work = turn.then(async () => {
      const latest = nodes.lister.get("", name);
      const wanted = latest && withEvictionTaint(latest, evictionTaint(latest), clock.now());
      if (latest !== undefined && wanted !== undefined) await setTaints(latest, wanted);
    });
    waiting.set(
      name,
      work
        .catch((error: unknown) => {
          if (!signal.aborted && !isConflict(error)) logger.error(error, "Tainting a node failed", { node: name });
        })
        .finally(() => waiting.delete(name)),
    );
  };

  const look = async (): Promise<void> => {
    const all = nodes.lister.list();
    const rates = evictionRates(all, {
      evictionRate: config.nodeEvictionRate,
      secondaryEvictionRate: config.secondaryNodeEvictionRate,
      largeClusterSize: config.largeClusterSizeThreshold,
      unhealthyThreshold: config.unhealthyZoneThreshold,
    });
    await Promise.all(
      all.map(async (node) => {
        try {
          await monitor(node);
          await syncEviction(nodes.lister.get("", node.metadata.name) ?? node, rates.get(zoneOf(node)) ?? 0);
        } catch (error) {
          if (isNotFound(error) || isConflict(error) || signal.aborted) return;
          logger.error(error, "Looking after a node failed", { node: node.metadata.name });
        }
      }),
    );
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
    runWorkers({ name: "nodelifecycle", queue, workers: 8, sync: syncNoSchedule, signal, logger, clock }),
  ]);
}
