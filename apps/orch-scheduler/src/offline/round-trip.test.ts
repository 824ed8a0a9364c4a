import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import { afterAll, expect, test } from "vitest";
import type { NodeTable } from "../cache/node-table.ts";
import { podInfo } from "../cache/pod-info.ts";
import { decide } from "../framework/decide.ts";
import { snapshotText } from "../snapshot/snapshot-text.ts";
import { takeSnapshot } from "../snapshot/take-snapshot.ts";
import { Choices } from "../testing/random/choices.ts";
import { livedCache, objectsOf, shownDecision } from "../testing/random/lived-cluster.ts";
import { randomCluster } from "../testing/random/random-cluster.ts";
import { readSnapshot } from "./read-snapshot.ts";
import { type RestoredState, restoreSnapshot } from "./restore-snapshot.ts";

const dir = mkdtempSync(join(tmpdir(), "o8s-snapshot-"));
const file = join(dir, "snapshot.json");
afterAll(() => rmSync(dir, { recursive: true }));

/** Everything about a decision, and the state of the random numbers after it. */
function decided(
  pod: Stored<core.Pod>,
  nodes: NodeTable,
  { nominations, random, profiles }: RestoredState,
  start: number,
): readonly unknown[] {
  const profile = profiles.get("default-scheduler");
  if (profile === undefined) throw new Error("no profile");
  const info = podInfo(pod);
  const nominatedNode = nominations.nodeOf(info.key);
  const decision = decide(info, nodes, profile, { start, random: random.next, nominatedNode, nominations });
  return [...shownDecision(decision, nodes), random.state];
}

test("decisions from a snapshot file are those of the scheduler, including slots, ties and victims", async () => {
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
      configuration: { ...cluster.configuration, profiles: cluster.configuration.profiles as never, extenders: [] },
      featureGates: cluster.configuration.featureGates,
      attempts: [],
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
    kinds[typeof want[1] === "number" ? "node" : "unschedulable"]++;
  }
  expect(Math.min(kinds.node, kinds.unschedulable)).toBeGreaterThan(50);
}, 60_000);
