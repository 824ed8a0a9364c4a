import { type NodeBuilder, node, type PodBuilder, pod } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { noNominations } from "../cache/nominated-pods.ts";
import { podInfo } from "../cache/pod-info.ts";
import { profileOf } from "../testing/profiles.ts";
import { tableOf } from "../testing/tables.ts";
import { decide } from "./decide.ts";
import { ClusterEvent, type PostFilterPlugin } from "./interfaces.ts";
import type { Profile } from "./profile.ts";
import { enoughNodes, schedulePod } from "./schedule-pod.ts";

const schedule = (
  wanting: PodBuilder,
  nodes: NodeBuilder[],
  placed: PodBuilder[] = [],
  start = 0,
  random = () => 0.999,
) => {
  const table = tableOf(nodes, placed);
  const info = podInfo(wanting.build());
  const verdict = schedulePod(info, table, profileOf(), { start, random, nominatedNode: info.nominatedNodeName });
  return verdict.type === "node" ? { ...verdict, name: table.nameOf(verdict.slot) } : verdict;
};
const of = (name: string, cpu: string) => node(name).capacity({ cpu, memory: "8Gi", pods: "10" });
const { NodeAdded, NodeAllocatable, NodeLabels, NodeTaints, PodDeleted } = ClusterEvent;

test.each<[string, PodBuilder, NodeBuilder[], PodBuilder[], string, number]>([
  ["no nodes", pod("p"), [], [], "no nodes available to schedule pods", NodeAdded],
  [
    "reasons with their node counts, in the order of the texts",
    pod("p").requests({ cpu: "2" }),
    [of("a", "1"), of("b", "4").taint("k", "NoSchedule", "v"), of("c", "4").taint("k", "NoSchedule", "v")],
    [],
    "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint {k: v}.",
    NodeAdded | NodeTaints | NodeAllocatable | PodDeleted,
  ],
  [
    "each node by its first plugin",
    pod("p").requests({ cpu: "2" }).nodeSelector({ x: "y" }),
    [of("a", "1").unschedulable(), of("b", "1")],
    [],
    "0/2 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) were unschedulable.",
    NodeAdded | NodeTaints | NodeLabels,
  ],
  [
    "every reason of the plugin that refuses",
    pod("p").requests({ cpu: "2", memory: "9Gi" }),
    [of("a", "1"), of("b", "4")],
    [],
    "0/2 nodes are available: 1 Insufficient cpu, 2 Insufficient memory.",
    NodeAdded | NodeAllocatable | PodDeleted,
  ],
])("a pod is rejected: %s", (_, wanting, nodes, placed, message, events) => {
  expect(schedule(wanting, nodes, placed)).toMatchObject({ type: "unschedulable", message, events });
});

test("the nodes on which preemption could help are reported", () => {
  const nodes = [of("a", "1"), of("b", "4").taint("k", "NoSchedule"), of("c", "1")];
  expect(schedule(pod("p").requests({ cpu: "2" }), nodes)).toMatchObject({ candidates: [0, 2] });
});

test.each<[string, PodBuilder, NodeBuilder[], PodBuilder[], string]>([
  ["the only one that fits", pod("p").requests({ cpu: "2" }), [of("a", "1"), of("b", "2"), of("c", "1")], [], "b"],
  [
    "the emptiest",
    pod("p").requests({ cpu: "1" }),
    [of("a", "4"), of("b", "4")],
    [pod("q").on("a").requests({ cpu: "1" })],
    "b",
  ],
  [
    "the one nominated, though others suit better",
    pod("p").status({ nominatedNodeName: "a" }),
    [of("a", "4"), of("b", "4")],
    [pod("q").on("a").requests({ cpu: "1" })],
    "a",
  ],
  [
    "another, when the one nominated does not fit",
    pod("p").requests({ cpu: "2" }).status({ nominatedNodeName: "a" }),
    [of("a", "1"), of("b", "4")],
    [],
    "b",
  ],
  ["another, when the one nominated is gone", pod("p").status({ nominatedNodeName: "x" }), [of("a", "1")], [], "a"],
])("a node is chosen: %s", (_, wanting, nodes, placed, name) => {
  expect(schedule(wanting, nodes, placed)).toMatchObject({ type: "node", name });
});

test("ties are broken at random, with equal probability", () => {
  const nodes = [of("a", "4"), of("b", "4"), of("c", "4")];
  let seed = 1;
  const random = () => {
    seed = (seed * 1103515245 + 12345) % 2 ** 31;
    return seed / 2 ** 31;
  };
  const counts = new Map<string, number>();
  for (let i = 0; i < 900; i++) {
    const verdict = schedule(pod("p"), nodes, [], 0, random);
    if ("name" in verdict) counts.set(verdict.name, (counts.get(verdict.name) ?? 0) + 1);
  }
  for (const name of ["a", "b", "c"]) expect(counts.get(name)).toBeGreaterThan(240);
});

test("a search begins at its start index, ends when enough nodes are found, and returns the index at which to continue", () => {
  const nodes = Array.from({ length: 400 }, (_, i) => of(`n${i}`, "4"));
  const first = schedule(pod("p"), nodes);
  expect(first).toMatchObject({ evaluated: 188, feasible: 188, next: 188 });
  const second = schedule(pod("p"), nodes, [], 300);
  expect(second).toMatchObject({ evaluated: 188, next: 88 });
  if (second.type === "node") expect(second.slot >= 300 || second.slot < 88).toBe(true);
  // A table that shrank meanwhile.
  expect(schedule(pod("p"), nodes.slice(0, 3), [], 300)).toMatchObject({ type: "node", feasible: 3 });
});

test("a search that ends early has examined every zone", () => {
  const inZone = (zone: string, i: number, cpu: string) =>
    of(`${zone}${i}`, cpu).labels({ "topology.orchernetes.io/zone": zone });
  const nodes = [
    ...Array.from({ length: 300 }, (_, i) => inZone("a", i, "4")),
    ...Array.from({ length: 100 }, (_, i) => inZone("b", i, "64")),
  ];
  const verdict = schedule(pod("p").requests({ cpu: "2" }), nodes);
  expect(verdict).toMatchObject({ evaluated: 188, name: expect.stringMatching(/^b/) });
});

const fails = (): never => {
  throw new Error("oops");
};
const mine = { name: "Mine" };
test.each<[string, Partial<Profile>, string]>([
  ["PreFilter", { preFilters: [{ ...mine, preFilter: fails }] }, 'running PreFilter plugin "Mine": oops'],
  ["Filter", { filters: [{ ...mine, filter: fails }] }, 'running "Mine" filter plugin: oops'],
  [
    "Filter for a node",
    { filters: [{ ...mine, filter: () => ({ check: fails, reasons: [] }) }] },
    'running "Mine" filter plugin: oops',
  ],
  ["PreScore", { preScores: [{ ...mine, preScore: fails }] }, 'running PreScore plugin "Mine": oops'],
  [
    "Score",
    { scores: [{ plugin: { ...mine, score: fails }, weight: 1 }] },
    'running Score plugins: plugin "Mine" failed with: oops',
  ],
])("an error of a plugin in %s names the plugin, with the message of Kubernetes", (_, plugins, want) => {
  const table = tableOf([of("a", "4"), of("b", "4")]);
  const decide = () =>
    schedulePod(podInfo(pod("p").build()), table, { ...profileOf(), ...plugins }, { start: 0, random: () => 0 });
  expect(decide).toThrow(new Error(want));
});

test("plugins that agree on no node are all waited for", () => {
  const allowing = (name: string, node: string, events: number) => ({
    name,
    events,
    preFilter: () => ({ nodeNames: new Set([node]) }),
  });
  const { NodeAdded, NodeLabels } = ClusterEvent;
  const preFilters = [allowing("A", "a", NodeAdded), allowing("B", "b", NodeLabels)];
  const table = tableOf([of("a", "4"), of("b", "4")]);
  const options = { start: 0, random: () => 0 };
  expect(schedulePod(podInfo(pod("p").build()), table, { ...profileOf(), preFilters }, options)).toMatchObject({
    message: "0/2 nodes are available: node(s) didn't satisfy plugin(s) [A B] simultaneously.",
    rejectors: [{ name: "A" }, { name: "B" }],
    events: NodeAdded | NodeLabels,
  });
});

test("a nominated node of which a filter fails is no reason not to look at the others", () => {
  const filter = {
    ...mine,
    filter: () => ({ check: (slot: number) => (slot === 1 ? fails() : 0), reasons: [] }),
  };
  const table = tableOf(Array.from({ length: 200 }, (_, i) => of(`n${i}`, "4")));
  const options = { start: 10, random: () => 0, nominatedNode: "n1" };
  const verdict = schedulePod(podInfo(pod("p").build()), table, { ...profileOf(), filters: [filter] }, options);
  expect(verdict).toMatchObject({ type: "node", feasible: 100 });
});

const none = (message: string, keepNomination = true): PostFilterPlugin => ({
  ...mine,
  postFilter: () => ({ type: "none", message, keepNomination }),
});
function decideWith(postFilters: readonly PostFilterPlugin[]) {
  const cycle = { start: 0, random: () => 0, nominatedNode: "", nominations: noNominations };
  const info = podInfo(pod("p").requests({ cpu: "9" }).build());
  return decide(info, tableOf([of("a", "4")]), { ...profileOf(), postFilters }, cycle);
}

const nominating: PostFilterPlugin = { ...mine, postFilter: () => ({ type: "nominate", node: "a", victims: [] }) };
test.each<[string, readonly PostFilterPlugin[], string]>([
  ["none", [], ""],
  ["one that has no remedy", [none("too few")], " too few."],
  ["two that have none", [none("too few"), none("too old")], " too few, too old."],
  ["one that has one at last", [none("too few"), nominating, none("not asked")], ""],
  ["one that says nothing", [none("")], ""],
  ["one that fails", [none("too few"), { ...mine, postFilter: fails }, nominating], " oops."],
])("the message contains what post-filters say, as the original's: %s", (_, postFilters, said) => {
  expect(decideWith(postFilters)).toMatchObject({
    type: "unschedulable",
    message: `0/1 nodes are available: 1 Insufficient cpu.${said}`,
    rejectors: [{ name: "NodeResourcesFit" }],
  });
});

test("a post-filter that fails keeps an earlier nomination, whatever the plugins before it say", () => {
  const nominationsKept = (...postFilters: PostFilterPlugin[]) => {
    const decision = decideWith(postFilters);
    if (decision.type === "node") throw new Error("the pod fits");
    return decision.postFilters.map(({ result }) => result.type !== "none" || result.keepNomination);
  };
  expect(nominationsKept(none("too few", false))).toEqual([false]);
  expect(nominationsKept(none("too few", false), { ...mine, postFilter: fails })).toEqual([true, true]);
});

test("slots without a node are skipped", () => {
  const table = tableOf([of("a", "4"), of("b", "4"), of("c", "4")]);
  table.removeNode("b");
  const profile = profileOf();
  for (let start = 0; start < 3; start++) {
    const verdict = schedulePod(podInfo(pod("p").build()), table, profile, { start, random: () => 0 });
    expect(verdict).toMatchObject({ type: "node", feasible: 2 });
    if (verdict.type === "node") expect(verdict.slot).not.toBe(1);
  }
  const wanting = podInfo(pod("p").requests({ cpu: "9" }).build());
  const refusal = schedulePod(wanting, table, profile, { start: 1, random: () => 0 });
  expect(refusal).toMatchObject({ message: "0/2 nodes are available: 2 Insufficient cpu." });
});

test.each([
  [0, 0, 0],
  [99, 0, 99],
  [100, 0, 100],
  [200, 0, 100],
  [1000, 0, 420],
  [5000, 0, 500],
  [10000, 0, 500],
  [5000, 50, 2500],
  [5000, 1, 100],
  [5000, 100, 5000],
  [50, 10, 50],
])("in a cluster of %i nodes, at %i percent, %i feasible nodes are enough", (nodes, percentage, want) => {
  expect(enoughNodes(nodes, percentage)).toBe(want);
});
