import { selectorFromSet } from "@orchernetes/apimachinery";
import { type NodeBuilder, node, type PodBuilder, pod } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { scoresOf, tableOf } from "../../testing/tables.ts";
import { selectorSpread } from "./selector-spread.ts";

const web = { app: "web" };
const plugin = selectorSpread(({ pod: { metadata } }) =>
  metadata.labels?.app === "web" ? selectorFromSet(web) : undefined,
);
const inZone = (name: string, zone: string) => node(name).labels({ "topology.orchernetes.io/zone": zone });
const placed = (on: string, labels: Record<string, string> = web) => pod(`on-${on}`).labels(labels).on(on);
const many = (on: string, count: number) =>
  Array.from({ length: count }, (_, i) => pod(`${on}-${i}`).labels(web).on(on));

test.each<[string, NodeBuilder[], PodBuilder[], number[]]>([
  ["no pods", [node("a"), node("b")], [], [100, 100]],
  ["fewer pods are better", [node("a"), node("b"), node("c")], [...many("a", 2), ...many("b", 1)], [0, 50, 100]],
  ["other pods do not count", [node("a"), node("b")], [placed("a", { app: "db" })], [100, 100]],
  ["pods of other namespaces do not count", [node("a"), node("b")], [placed("a").namespace("n")], [100, 100]],
  ["terminating pods do not count", [node("a"), node("b")], [placed("a").deletedAt()], [100, 100]],
  [
    "zones count twice as much as nodes",
    [inZone("a1", "a"), inZone("a2", "a"), inZone("b1", "b")],
    [placed("a1")],
    [0, 33, 100],
  ],
  [
    "zones are compared with the one with most pods",
    [inZone("a1", "a"), inZone("a2", "a"), inZone("b1", "b"), inZone("c1", "c")],
    [...many("a1", 2), ...many("a2", 2), ...many("b1", 1)],
    [0, 0, 66, 100],
  ],
  [
    "nodes without a zone count by themselves",
    [inZone("a1", "a"), node("x")],
    [...many("a1", 2), ...many("x", 1)],
    [0, 50],
  ],
])("SelectorSpread: %s", (_, nodes, pods, want) => {
  expect(scoresOf(plugin, pod("p").labels(web), tableOf(nodes, pods))).toEqual(want);
});

test.each<[string, PodBuilder]>([
  ["without services and controller", pod("p")],
  [
    "with topology spread constraints",
    pod("p")
      .labels(web)
      .spec({ topologySpreadConstraints: [{ maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "ScheduleAnyway" }] }),
  ],
])("SelectorSpread has no preference for a pod %s", (_, wanting) => {
  expect(scoresOf(plugin, wanting, tableOf([node("a"), node("b")], [placed("a")]))).toBeUndefined();
});
