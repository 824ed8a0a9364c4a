import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import { afterAll, expect, test } from "vitest";
import type { NodeTable } from "../cache/node-table.ts";
import { podInfo } from "../cache/pod-info.ts";
import { SchedulerCache } from "../cache/scheduler-cache.ts";
import { decide } from "../framework/decide.ts";
import type { Snapshot, SnapshotObjects } from "../snapshot/snapshot.ts";
import { snapshotText } from "../snapshot/snapshot-text.ts";
import { takeSnapshot } from "../snapshot/take-snapshot.ts";
import { Choices } from "../testing/random/choices.ts";
import { randomCluster } from "../testing/random/random-cluster.ts";
import { readSnapshot } from "./read-snapshot.ts";
import { type RestoredState, restoreSnapshot } from "./restore-snapshot.ts";

const dir = mkdtempSync(join(tmpdir(), "o8s-snapshot-"));
const file = join(dir, "snapshot.json");
afterAll(() => rmSync(dir, { recursive: true }));

/** A cache with a past: nodes and pods that came and went, in any order, and pods that are only assumed. */
function livedCache(cluster: Snapshot, c: Choices): SchedulerCache {
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
function objectsOf(cluster: Snapshot): SnapshotObjects {
  const { namespaces, services, replicationControllers, replicaSets, statefulSets, budgets } = cluster;
  const { claims, volumes, classes, csiNodes, csiDrivers, capacities } = cluster;
  const workloads = { services, replicationControllers, replicaSets, statefulSets };
  return { namespaces, ...workloads, claims, volumes, classes, csiNodes, csiDrivers, capacities, budgets };
}

/** Everything about a decision, and the state of the random numbers after it. */
function decided(
  pod: Stored<core.Pod>,
  nodes: NodeTable,
  { nominations, random, profiles }: RestoredState,
  start: number,
): unknown {
  const profile = profiles.get("default-scheduler");
  if (profile === undefined) throw new Error("no profile");
  const info = podInfo(pod);
  const nominatedNode = nominations.nodeOf(info.key);
  const decision = decide(info, nodes, profile, { start, random: random.next, nominatedNode, nominations });
  if (decision.type === "node") {
    const { slot, evaluated, feasible, next } = decision;
    return [nodes.nameOf(slot), slot, evaluated, feasible, next, random.state];
  }
  const { message, candidates, rejectors, postFilters } = decision;
  const results = postFilters.map(({ plugin, result }) => [
    plugin,
    result.type === "nominate" ? [result.node, result.victims.map(({ key }) => key)] : result,
  ]);
  return [message, candidates, rejectors.map(({ name }) => name), results, random.state];
}

test("decisions from the file of a snapshot are those of the scheduler, also about slots, ties and victims", async () => {
  const kinds = { node: 0, unschedulable: 0 };
  for (let seed = 0; seed < 250; seed++) {
    const c = new Choices(seed);
    const cluster = randomCluster(seed);
    const live = restoreSnapshot(cluster);
    const cache = livedCache(cluster, c);
    // The most important pod, so that it may preempt others.
    const [first] = cluster.pending;
    if (first === undefined) throw new Error("no pod");
    const pod = { ...first, spec: { ...first.spec, priority: 3 } };
    const start = c.below(cluster.nodes.length);
    const snapshot = takeSnapshot({
      configuration: { ...cluster.configuration, profiles: [{}] as never },
      cache,
      nominated: live.nominations,
      start,
      seed: live.random.state,
      pending: [pod],
      queue: [],
      objects: objectsOf(cluster),
      time: new Date(0),
    });
    writeFileSync(file, [...snapshotText(snapshot)].join(""), { mode: 0o600 });
    const want = decided(pod, cache.nodes, live, start);
    const restored = restoreSnapshot(await readSnapshot(file));
    const stored = restored.pending.get(`${pod.metadata.namespace}/${pod.metadata.name}`);
    if (stored === undefined) throw new Error("the pod is not in the snapshot");
    expect([seed, decided(stored, restored.nodes, restored, restored.start)]).toEqual([seed, want]);
    kinds[typeof (want as unknown[])[1] === "number" ? "node" : "unschedulable"]++;
  }
  expect(Math.min(kinds.node, kinds.unschedulable)).toBeGreaterThan(50);
}, 60_000);
