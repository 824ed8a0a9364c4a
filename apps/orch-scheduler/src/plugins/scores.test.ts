import { type NodeBuilder, node, type PodBuilder, pod } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import type { ScorePlugin } from "../framework/interfaces.ts";
import { scoresOf, tableOf } from "../testing/tables.ts";
import { balancedAllocation } from "./balanced-allocation.ts";
import { nodeAffinityScore } from "./node-affinity.ts";
import { resourceAllocation } from "./resource-scores.ts";
import { taintTolerationScore } from "./taint-toleration.ts";

type Row = [name: string, pod: PodBuilder, nodes: NodeBuilder[], placed: PodBuilder[], want: number[] | undefined];

const check = (plugin: ScorePlugin, [, wanting, nodes, placed, want]: Row) =>
  expect(scoresOf(plugin, wanting, tableOf(nodes, placed))).toEqual(want);

const of = (name: string, cpu: string, memory: string) => node(name).capacity({ cpu, memory, pods: "10" });

test.each<Row>([
  [
    "free shares, averaged",
    pod("p").requests({ cpu: "1", memory: "1Gi" }),
    [of("a", "4", "4Gi"), of("b", "2", "4Gi")],
    [],
    [75, 62],
  ],
  [
    "what others use counts",
    pod("p").requests({ cpu: "1", memory: "1Gi" }),
    [of("a", "4", "4Gi")],
    [pod("q").on("a").requests({ cpu: "1", memory: "1Gi" })],
    [50],
  ],
  ["pods without requests take a little", pod("p"), [of("a", "1", "400Mi")], [], [70]],
  ["too much is nothing", pod("p").requests({ cpu: "2", memory: "1Gi" }), [of("a", "1", "4Gi")], [], [37]],
  ["a node without memory", pod("p").requests({ cpu: "1" }), [node("a").capacity({ cpu: "4" })], [], [75]],
  ["a node without anything", pod("p"), [node("a").capacity({ pods: "1" })], [], [0]],
])("LeastAllocated: %s", (...row) => check(resourceAllocation(), row));

const GPU = "example.com/gpu";
const byGpuAndDisk = resourceAllocation({
  type: "LeastAllocated",
  resources: [
    { name: GPU, weight: 3 },
    { name: "ephemeral-storage", weight: 1 },
  ],
});
const withGpus = (name: string, gpus: string) =>
  node(name).capacity({ cpu: "4", memory: "8Gi", pods: "10", "ephemeral-storage": "10Gi", [GPU]: gpus });
test.each<Row>([
  [
    "an extended resource counts by its weight for pods that ask for it",
    pod("p").requests({ [GPU]: "1" }),
    [withGpus("a", "4"), withGpus("b", "2")],
    [],
    [81, 62],
  ],
  [
    "what others have of it counts",
    pod("p").requests({ [GPU]: "1" }),
    [withGpus("a", "4")],
    [
      pod("q")
        .on("a")
        .requests({ [GPU]: "2" }),
    ],
    [43],
  ],
  [
    "it does not count for pods that do not ask for it, local storage does",
    pod("p"),
    [withGpus("a", "4"), withGpus("b", "4")],
    [
      pod("q")
        .on("a")
        .requests({ [GPU]: "4", "ephemeral-storage": "5Gi" }),
    ],
    [50, 100],
  ],
])("LeastAllocated: %s", (...row) => check(byGpuAndDisk, row));

test.each<Row>([
  [
    "equal shares are best",
    pod("p").requests({ cpu: "1", memory: "1Gi" }),
    [of("a", "4", "4Gi"), of("b", "4", "2Gi")],
    [],
    [100, 87],
  ],
  ["all of one, none of the other", pod("p").requests({ cpu: "4" }), [of("a", "4", "4Gi")], [], [50]],
  ["shares end at all", pod("p").requests({ cpu: "40", memory: "4Gi" }), [of("a", "4", "4Gi")], [], [100]],
  ["nothing to compare", pod("p").requests({ cpu: "1" }), [node("a").capacity({ cpu: "2" })], [], [100]],
])("BalancedAllocation: %s", (...row) => check(balancedAllocation(), row));

const prefer = (name: string, ...keys: string[]) =>
  keys.reduce((builder, key) => builder.taint(key, "PreferNoSchedule"), node(name));
test.each<Row>([
  ["no taints", pod("p"), [node("a")], [], undefined],
  ["only hard taints", pod("p"), [node("a").taint("k", "NoSchedule")], [], undefined],
  ["the fewer the better", pod("p"), [prefer("a"), prefer("b", "x"), prefer("c", "x", "y")], [], [100, 50, 0]],
  [
    "tolerated ones do not count",
    pod("p").toleration({ key: "x", operator: "Exists", effect: "PreferNoSchedule" }),
    [prefer("a"), prefer("b", "x"), prefer("c", "x", "y")],
    [],
    [100, 100, 0],
  ],
  [
    "a toleration of another effect",
    pod("p").toleration({ key: "x", operator: "Exists", effect: "NoSchedule" }),
    [prefer("a"), prefer("b", "x")],
    [],
    [100, 0],
  ],
])("TaintToleration: %s", (...row) => check(taintTolerationScore, row));

const preferring = (...terms: [weight: number, key: string][]) =>
  pod("p").affinity({
    nodeAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: terms.map(([weight, key]) => ({
        weight,
        preference: key === "" ? {} : { matchExpressions: [{ key, operator: "Exists" as const }] },
      })),
    },
  });
const labelled = [node("a").labels({ x: "1", y: "1" }), node("b").labels({ x: "1" }), node("c")];
test.each<Row>([
  ["no preference", pod("p"), labelled, [], undefined],
  ["weights add up, the best gets all", preferring([30, "x"], [10, "y"]), labelled, [], [100, 75, 0]],
  ["met by none", preferring([30, "z"]), labelled, [], [0, 0, 0]],
  ["an empty preference weighs nothing", preferring([10, ""], [10, "x"]), labelled, [], [100, 100, 0]],
])("NodeAffinity: %s", (...row) => check(nodeAffinityScore(), row));
