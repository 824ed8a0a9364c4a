import type { policy } from "@orchernetes/api";
import { type FeatureName, features } from "@orchernetes/component";
import { type NodeBuilder, node, type PodBuilder, pod, volume } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { NominatedPods, type Nominations, noNominations } from "../../cache/nominated-pods.ts";
import { podInfo } from "../../cache/pod-info.ts";
import { schedulePod } from "../../framework/schedule-pod.ts";
import type { PluginHandle } from "../../plugin-handle.ts";
import { profileOf } from "../../testing/profiles.ts";
import { tableOf } from "../../testing/tables.ts";
import { boundClaim, volumesOf } from "../../testing/volumes.ts";

const of = (name: string, cpu: string) => node(name).capacity({ cpu, memory: "8Gi", pods: "10" });
const on = (nodeName: string, name: string, cpu: string, priority = 0, start = "2024-01-01T00:00:00Z") =>
  pod(name).on(nodeName).requests({ cpu }).priority(priority).status({ startTime: start });
/** A terminating pod on node a that says why. */
const leaving = (status: "True" | "False", reason: string) =>
  pod("q")
    .on("a")
    .requests({ cpu: "2" })
    .priority(1)
    .deletedAt()
    .status({ startTime: "2024-01-01T00:00:00Z", conditions: [{ type: "DisruptionTarget", status, reason }] });
const wanting = pod("p").requests({ cpu: "2" }).priority(10);
const budget = (app: string, disruptionsAllowed: number) =>
  ({
    metadata: { name: app, namespace: "default" },
    spec: { selector: { matchLabels: { app } } },
    status: { disruptionsAllowed },
  }) as unknown as policy.PodDisruptionBudget;

function preempt(
  nodes: NodeBuilder[],
  placed: PodBuilder[],
  p = wanting,
  budgets: policy.PodDisruptionBudget[] = [],
  nominations: Nominations = noNominations,
  handle: Partial<PluginHandle> = {},
) {
  const table = tableOf(nodes, placed);
  const before = nodes.map((_, slot) => [table.podCount[slot], table.cpu.requested[slot]]);
  const profile = profileOf({}, { budgets: () => budgets }, handle);
  const info = podInfo(p.build());
  const refusal = schedulePod(info, table, profile, { start: 0, random: () => 0, nominations });
  if (refusal.type === "node") throw new Error("the pod fits as it is");
  const [plugin] = profile.postFilters;
  const { nominatedNodeName: nominatedNode } = info;
  const result = plugin?.postFilter({ pod: info, nominatedNode, nominations, nodes: table, profile, refusal });
  // Trying out must leave no trace.
  expect(nodes.map((_, slot) => [table.podCount[slot], table.cpu.requested[slot]])).toEqual(before);
  if (result?.type !== "nominate") return result?.message;
  return [result.node, ...result.victims.map((victim) => victim.pod.metadata.name)];
}

test.each<[string, NodeBuilder[], PodBuilder[], string[]]>([
  ["the pod in the way", [of("a", "2")], [on("a", "q", "1")], ["a", "q"]],
  [
    "no more than needed",
    [of("a", "4")],
    [on("a", "q", "2", 1), on("a", "r", "1", 2), on("a", "s", "1", 3)],
    ["a", "q"],
  ],
  ["the less important ones", [of("a", "4")], [on("a", "q", "2", 5), on("a", "r", "2", 1)], ["a", "r"]],
  [
    "of equals those that run shorter",
    [of("a", "4")],
    [on("a", "old", "2", 1, "2020-01-01T00:00:00Z"), on("a", "new", "2", 1, "2023-01-01T00:00:00Z")],
    ["a", "new"],
  ],
  [
    "where the least important goes",
    [of("a", "2"), of("b", "2")],
    [on("a", "q", "2", 5), on("b", "r", "2", 1)],
    ["b", "r"],
  ],
  [
    "where the sum is lower",
    [of("a", "2"), of("b", "2")],
    [on("a", "q", "1", 5), on("a", "q2", "1", 5), on("b", "r", "1", 5), on("b", "r2", "1", 1)],
    ["b", "r", "r2"],
  ],
  [
    "where fewer go",
    [of("a", "2"), of("b", "2")],
    [on("a", "q", "1", 5), on("a", "q2", "1", 5), on("b", "r", "2", 5)],
    ["b", "r"],
  ],
  [
    "where the youngest goes",
    [of("a", "2"), of("b", "2")],
    [on("a", "q", "2", 5, "2020-01-01T00:00:00Z"), on("b", "r", "2", 5, "2023-01-01T00:00:00Z")],
    ["b", "r"],
  ],
  [
    "where the longest running of the most important is younger, although another one there has not started",
    [of("a", "2"), of("b", "2")],
    [
      on("a", "old", "1", 5, "2020-01-01T00:00:00Z"),
      pod("starting").on("a").requests({ cpu: "1" }).priority(5),
      on("b", "r", "1", 5, "2023-01-01T00:00:00Z"),
      on("b", "r2", "1", 5, "2023-01-01T00:00:00Z"),
    ],
    ["b", "r", "r2"],
  ],
])("preemption evicts %s", (_, nodes, placed, want) => {
  expect(preempt(nodes, placed)).toEqual(want);
});

test.each<[string, policy.PodDisruptionBudget[], string[]]>([
  ["none", [], ["a", "q"]],
  ["one that is used up", [budget("q", 0)], ["b", "r"]],
  ["one with room", [budget("q", 1)], ["a", "q"]],
  ["both used up", [budget("q", 0), budget("r", 0)], ["a", "q"]],
])("if there is a choice, disruption budgets decide: %s", (_, budgets, want) => {
  const placed = [on("a", "q", "2", 1).labels({ app: "q" }), on("b", "r", "2", 2).labels({ app: "r" })];
  expect(preempt([of("a", "2"), of("b", "2")], placed, wanting, budgets)).toEqual(want);
});

test("the search continues past its limit until a candidate violates no budget", () => {
  const nodes = Array.from({ length: 300 }, (_, i) => of(`n${i}`, "2"));
  const placed = nodes.map((_, i) => on(`n${i}`, `q${i}`, "2", 1).labels({ app: i === 250 ? "free" : "kept" }));
  expect(preempt(nodes, placed, wanting, [budget("kept", 0)])).toEqual(["n250", "q250"]);
});

test("room that is reserved for another nominated pod is not used a second time", () => {
  const nominated = new NominatedPods();
  nominated.set(podInfo(pod("other").requests({ cpu: "2" }).priority(10).build()), "a");
  const placed = [on("a", "q", "2", 1), on("b", "r", "2", 5)];
  expect(preempt([of("a", "2"), of("b", "2")], placed, wanting, [], nominated)).toEqual(["b", "r"]);
});

const ZONE = "topology.orchernetes.io/zone";
const spreading = wanting.labels({ app: "w" }).spec({
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: ZONE,
      whenUnsatisfiable: "DoNotSchedule",
      labelSelector: { matchLabels: { app: "w" } },
    },
  ],
});
const avoiding = wanting.labels({ app: "w" }).affinity({
  podAntiAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [
      { labelSelector: { matchLabels: { app: "w" } }, topologyKey: ZONE },
    ],
  },
});

test.each<[string, PodBuilder, string, number, string[]]>([
  ["spreads over zones: the other zone", spreading, "c", 1, ["b", "r"]],
  ["keeps away from it in a zone: the other zone", avoiding, "c", 1, ["b", "r"]],
  ["does neither: the first of equals", wanting, "c", 1, ["a", "q"]],
  ["spreads, when the other zone costs more: the cheaper one", spreading, "c", 2, ["a", "q"]],
  ["spreads, and it is in the other zone: the first of equals", spreading, "d", 1, ["a", "q"]],
])("while a pod is nominated for a node in one zone, one that %s", (_, p, nominatedNode, priority, want) => {
  const nodes = ["a", "c", "b", "d"].map((name) => of(name, "2").labels({ [ZONE]: "ac".includes(name) ? "1" : "2" }));
  const placed = [on("a", "q", "2", 1), on("c", "s", "2", 20), on("b", "r", "2", priority), on("d", "t", "2", 20)];
  const nominated = new NominatedPods();
  nominated.set(podInfo(p.build()), nominatedNode);
  const other = pod("other")
    .labels({ app: "w" })
    .spec({ ...p.build().spec });
  expect(preempt(nodes, placed, other, [], nominated)).toEqual(want);
});

test("victims are also found on a node with a nominated pod for which filters must be prepared again", () => {
  const HOSTNAME = "orchernetes.io/hostname";
  const awayFrom = (app: string) => ({ labelSelector: { matchLabels: { app } }, topologyKey: HOSTNAME });
  const nominee = pod("nominee")
    .priority(10)
    .requests({ cpu: "1" })
    .affinity({
      podAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: awayFrom("none") }],
      },
    });
  const nominated = new NominatedPods();
  nominated.set(podInfo(nominee.build()), "a");
  const keepingAway = on("a", "q", "1", 1).affinity({
    podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [awayFrom("w")] },
  });
  const nodes = [of("a", "4").labels({ [HOSTNAME]: "a" })];
  expect(preempt(nodes, [keepingAway], wanting.labels({ app: "w" }), [], nominated)).toEqual(["a", "q"]);
});

test.each<[string, NodeBuilder[], PodBuilder[], PodBuilder, string]>([
  [
    "no pod is less important",
    [of("a", "2")],
    [on("a", "q", "1", 10)],
    wanting,
    "preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.",
  ],
  [
    "there would not be room anyhow",
    [of("a", "1"), of("b", "1")],
    [on("a", "q", "1", 1)],
    wanting,
    "preemption: 0/2 nodes are available: 1 Insufficient cpu, 1 No preemption victims found for incoming pod.",
  ],
  [
    "eviction does not help",
    [of("a", "2").taint("k", "NoSchedule"), of("b", "1")],
    [on("a", "q", "2", 1)],
    wanting,
    "preemption: 0/2 nodes are available: 1 No preemption victims found for incoming pod, 1 Preemption is not helpful for scheduling.",
  ],
  [
    "it must not evict",
    [of("a", "2")],
    [on("a", "q", "2", 1)],
    wanting.spec({ preemptionPolicy: "Never" }),
    "preemption: not eligible due to preemptionPolicy=Never.",
  ],
  [
    "what it evicted is still leaving",
    [of("a", "2"), of("b", "2")],
    [leaving("True", "PreemptionByScheduler"), on("b", "r", "2", 1)],
    wanting.status({ nominatedNodeName: "a" }),
    "preemption: not eligible due to a terminating pod on the nominated node.",
  ],
])("preemption evicts no pod when %s", (_, nodes, placed, p, want) => {
  expect(preempt(nodes, placed, p)).toBe(want);
});

test.each<[string, PodBuilder]>([
  ["no reason", on("a", "q", "2", 1).deletedAt()],
  ["another reason", leaving("True", "EvictionByEvictionAPI")],
  ["a preemption that was revoked", leaving("False", "PreemptionByScheduler")],
])("a pod on the nominated node that terminates with %s does not delay preemption", (_, terminating) => {
  const p = wanting.status({ nominatedNodeName: "a" });
  const nodes = [of("a", "2"), of("b", "2")];
  expect(preempt(nodes, [terminating, on("b", "r", "2")], p)).toEqual(["b", "r"]);
  // Without the gate, victims do not say that they are victims.
  const isEnabled = (name: FeatureName) => name !== "PodDisruptionConditions" && features[name].default;
  expect(preempt(nodes, [terminating, on("b", "r", "2")], p, [], noNominations, { isEnabled })).toBe(
    "preemption: not eligible due to a terminating pod on the nominated node.",
  );
});

test("a pod whose evictions are being written does not evict others, although its victims still run", () => {
  const p = wanting.status({ nominatedNodeName: "a" });
  const nodes = [of("a", "2"), of("b", "2")];
  const placed = [on("a", "q", "2"), on("b", "r", "2")];
  const nominations = new NominatedPods();
  const { uid } = podInfo(p.build());
  nominations.setEvicting(uid, true);
  expect(preempt(nodes, placed, p, [], nominations)).toBe(
    "preemption: not eligible due to a terminating pod on the nominated node.",
  );
  nominations.setEvicting(uid, false);
  expect(preempt(nodes, placed, p, [], nominations)).toEqual(["a", "q"]);
});

test("the pod that uses an exclusive claim is evicted for a pod of higher priority", () => {
  const using = (name: string) =>
    pod(name).spec({ volumes: [{ name: "d", persistentVolumeClaim: { claimName: "c" } }] });
  const exclusive = boundClaim("c", "v", { modes: ["ReadWriteOncePod"] });
  const claims = [{ ...exclusive, metadata: { ...exclusive.metadata, namespace: "default" } }];
  const table = tableOf([of("a", "2"), of("b", "2")], [using("q").on("b").priority(1)]);
  const profile = profileOf({}, { volumes: volumesOf({ claims, volumes: [volume("v")] }) });
  const info = podInfo(using("p").priority(2).build());
  const refusal = schedulePod(info, table, profile, { start: 0, random: () => 0 });
  if (refusal.type === "node") throw new Error("the pod fits as it is");
  const [plugin] = profile.postFilters;
  const nominations = noNominations;
  const result = plugin?.postFilter({ pod: info, nominatedNode: "", nominations, nodes: table, profile, refusal });
  expect(result).toMatchObject({ type: "nominate", node: "b", victims: [{ key: "default/q" }] });
  expect(table.usersOfClaim("default/c")).toBe(1);
});

test("an error of a filter while pods are tried out is no reason not to preempt on other nodes", () => {
  const table = tableOf([of("a", "2"), of("b", "2")], [on("a", "q", "1"), on("b", "r", "1")]);
  let failing: readonly number[] = [0];
  let trying = false;
  const odd = {
    name: "Odd",
    filter: () => ({
      reasons: [],
      check(slot: number) {
        if (trying && failing.includes(slot)) throw new Error("no licence");
        return 0;
      },
    }),
  };
  const profile = profileOf();
  const info = podInfo(wanting.build());
  const failure = {
    pod: info,
    nominatedNode: "",
    nominations: noNominations,
    nodes: table,
    profile: { ...profile, filters: [...profile.filters, odd] },
  };
  const refusal = schedulePod(info, table, failure.profile, { start: 0, random: () => 0 });
  if (refusal.type === "node") throw new Error("the pod fits as it is");
  trying = true;
  const postFilter = () => profile.postFilters[0]?.postFilter({ ...failure, refusal });
  expect(postFilter()).toMatchObject({ type: "nominate", node: "b" });
  failing = [0, 1];
  // Each error once, as in the original.
  expect(postFilter).toThrow(new Error('preemption: running "Odd" filter plugin: no licence'));
  expect([table.podCount[0], table.podCount[1]]).toEqual([1, 1]);
});
