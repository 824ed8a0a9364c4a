import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import type { NodeTable } from "../../cache/node-table.ts";
import { podInfo } from "../../cache/pod-info.ts";
import { SchedulerCache } from "../../cache/scheduler-cache.ts";
import type { Decision } from "../../framework/decide.ts";
import type { Snapshot, SnapshotObjects } from "../../snapshot/snapshot.ts";
import type { Choices } from "./choices.ts";

/** A cache with a past: nodes and pods that came and went, in any order, and pods that are only assumed. */
export function livedCache(cluster: Snapshot, c: Choices): SchedulerCache {
  const cache = new SchedulerCache();
  const nodes = cluster.nodes.filter((node) => node !== null);
  const gone = c.many(0, 4, (i): Stored<core.Node> => {
    const like = c.pick(...nodes);
    return { ...like, metadata: { ...like.metadata, name: `gone-${i}`, uid: `gone-${i}` } };
  });
  const shuffled = <T>(list: readonly T[]): T[] =>
    list
      .map((one) => [c.below(1000), one] as const)
      .sort(([a], [b]) => a - b)
      .map(([, one]) => one);
  for (const node of shuffled([...nodes, ...gone])) cache.nodes.setNode(node);
  for (const { metadata } of shuffled(gone)) cache.nodes.removeNode(metadata.name);
  for (const { node, pod } of shuffled(cluster.placed)) {
    const { nodeName: _, ...spec } = pod.spec;
    if (c.chance(0.3)) cache.assume(podInfo({ ...pod, spec }), node);
    else cache.place(pod, node);
  }
  for (const { pod } of c.some(cluster.placed, 0.2)) cache.remove(pod);
  return cache;
}

/** What a snapshot says beside nodes, pods and the state of the scheduler. */
export function objectsOf(cluster: Snapshot): SnapshotObjects {
  const { namespaces, services, replicationControllers, replicaSets, statefulSets, budgets } = cluster;
  const { claims, volumes, classes, csiNodes, csiDrivers, capacities } = cluster;
  const workloads = { services, replicationControllers, replicaSets, statefulSets };
  return { namespaces, ...workloads, claims, volumes, classes, csiNodes, csiDrivers, capacities, budgets };
}

/** Everything about a decision. The second element is a number if the pod has a node. */
export function shownDecision(decision: Decision, nodes: NodeTable): readonly unknown[] {
  if (decision.type === "node") {
    const { slot, evaluated, feasible, next } = decision;
    return [nodes.nameOf(slot), slot, evaluated, feasible, next];
  }
  const { message, candidates, rejectors, postFilters } = decision;
  const results = postFilters.map(({ plugin, result }) => [
    plugin,
    result.type === "nominate" ? [result.node, result.victims.map(({ key }) => key)] : result,
  ]);
  return [message, candidates, rejectors.map(({ name }) => name), results];
}
