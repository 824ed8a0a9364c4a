import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { messageOf, silentLogger } from "@orchernetes/kernel";
import { afterAll, expect, test } from "vitest";
import { podInfo } from "../cache/pod-info.ts";
import { cycleOf } from "../explain/explain-decision.ts";
import type { DecidingExtender } from "../extender/ask-extender.ts";
import { AttemptRecords } from "../extender/attempt-records.ts";
import { decideWithExtenders } from "../extender/decide-with-extenders.ts";
import { snapshotText } from "../snapshot/snapshot-text.ts";
import { takeSnapshot } from "../snapshot/take-snapshot.ts";
import { Choices } from "../testing/random/choices.ts";
import { livedCache, objectsOf, shownDecision } from "../testing/random/lived-cluster.ts";
import { randomCluster } from "../testing/random/random-cluster.ts";
import { readSnapshot } from "./read-snapshot.ts";
import { repeatDecision } from "./recorded-decision.ts";
import { restoreSnapshot } from "./restore-snapshot.ts";

const dir = mkdtempSync(join(tmpdir(), "o8s-recorded-"));
const file = join(dir, "snapshot.json");
afterAll(() => rmSync(dir, { recursive: true }));

/** An extender that answers at random, never twice in the same way. */
function randomExtender(c: Choices, i: number): DecidingExtender {
  const verb = (name: string): string => (c.chance(0.8) ? name : "");
  const settings = {
    urlPrefix: `http://extender-${i}`,
    filterVerb: verb("filter"),
    prioritizeVerb: verb("prioritize"),
    preemptVerb: verb("preempt"),
    bindVerb: "",
    weight: 1,
    nodeCacheCapable: true,
    ignorable: c.chance(0.5),
    managedResources: [],
  };
  const mayFail = (): void => {
    if (c.chance(0.25)) throw new Error(`extender ${i} does not answer`);
  };
  return {
    settings,
    name: settings.urlPrefix,
    isInterested: () => true,
    async filter(_, nodes) {
      mayFail();
      const names = nodes.map(({ metadata }) => metadata.name ?? "");
      const passed = c.some(names, 0.6).reverse();
      const others = names.filter((name) => !passed.includes(name));
      const because = (list: readonly string[]) => new Map(list.map((name) => [name, `reason ${c.below(3)}`]));
      return { passed, failed: because(c.some(others, 0.6)), unresolvable: because(c.some(others, 0.2)) };
    },
    async prioritize(_, nodes) {
      mayFail();
      return new Map(c.some(nodes).map(({ metadata }) => [metadata.name ?? "", c.below(10) * 100]));
    },
    async preempt(_, candidates, podsOn) {
      mayFail();
      return c.some(candidates, 0.7).map((one) => ({ ...one, victims: podsOn(one.node).slice(0, 2), violations: 1 }));
    },
  };
}

/** The result, or the message of the error. */
const outcome = async (work: () => Promise<readonly unknown[]>): Promise<readonly unknown[]> =>
  work().catch((error: unknown) => [messageOf(error)]);

test("the last attempt is repeated with the recorded responses of extenders, including ties, victims and failures", async () => {
  const kinds = { node: 0, unschedulable: 0, error: 0 };
  for (let seed = 0; seed < 300; seed++) {
    const c = new Choices(seed);
    const cluster = randomCluster(seed);
    const live = restoreSnapshot(cluster);
    const { nodes } = livedCache(cluster, c);
    const cache = livedCache(cluster, new Choices(seed));
    const [first] = cluster.pending;
    const profile = live.profiles.get("default-scheduler");
    if (first === undefined || profile === undefined) throw new Error("no pod");
    const pod = { ...first, spec: { ...first.spec, priority: 3 } };
    const info = podInfo(pod);
    const start = c.below(cluster.nodes.length);
    const extenders = c.many(1, 3, (i) => randomExtender(c, i));
    const records = new AttemptRecords({ now: () => new Date(0), seed: () => live.random.state });
    const attempt = records.begin(info, start);
    const want = await outcome(async () => {
      const cycle = cycleOf(info, { ...live, nodes, start });
      const make = await decideWithExtenders(info, nodes, profile, cycle, {
        extenders,
        pod: async (one) => one.pod,
        node: (name) => nodes.nodeAt(nodes.slotOf(name) ?? -1),
        logger: silentLogger,
        signal: new AbortController().signal,
        record: attempt.record,
      });
      return shownDecision(make(), nodes);
    });
    attempt.keep();
    const after = live.random.state;
    const snapshot = takeSnapshot({
      configuration: {
        ...cluster.configuration,
        profiles: cluster.configuration.profiles as never,
        extenders: extenders.map(({ settings }) => settings) as never,
      },
      featureGates: cluster.configuration.featureGates,
      attempts: records.all,
      cache,
      nominated: live.nominations,
      // Others were scheduled since.
      start: start + 1,
      seed: (after + 1) >>> 0,
      pending: [pod],
      queue: [],
      objects: objectsOf(cluster),
      time: new Date(0),
    });
    writeFileSync(file, [...snapshotText(snapshot)].join(""), { mode: 0o600 });
    const restored = restoreSnapshot(await readSnapshot(file));
    const stored = restored.pending.get(info.key);
    if (stored === undefined) throw new Error("the pod is not in the snapshot");
    const explained = {
      pod: stored,
      queued: undefined,
      assumedNode: undefined,
      profile: restored.profiles.get("default-scheduler"),
    };
    const { asked } = await repeatDecision(explained, restored);
    const found = await outcome(async () => {
      if (asked?.decide === undefined) throw new Error("no extender takes part");
      return shownDecision(asked.decide(), restored.nodes);
    });
    expect([seed, found, restored.random.state]).toEqual([seed, want, after]);
    expect(asked?.exchanges).toEqual(records.all[0]?.exchanges);
    kinds[want.length === 1 ? "error" : typeof want[1] === "number" ? "node" : "unschedulable"]++;
  }
  expect(Math.min(...Object.values(kinds))).toBeGreaterThan(10);
}, 60_000);

test("without a recorded attempt the decision fails, and says which extenders are missing", async () => {
  const cluster = randomCluster(1);
  const { settings } = randomExtender(new Choices(1), 0);
  const extender = { ...settings, managedResources: [] };
  const restored = restoreSnapshot({ ...cluster, extenders: [extender] });
  const [pod] = cluster.pending;
  if (pod === undefined) throw new Error("no pod");
  const explained = {
    pod,
    queued: undefined,
    assumedNode: undefined,
    profile: restored.profiles.get("default-scheduler"),
  };
  const { asked } = await repeatDecision(explained, restored);
  expect(asked?.decide).toThrow("has no answers of extenders about this pod, which concerns http://extender-0");
});
