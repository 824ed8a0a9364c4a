import { type NodeBuilder, node } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { tableOf } from "../testing/tables.ts";

const inZone = (name: string, zone: string, region = "r", label = "topology.orchernetes.io") =>
  node(name).labels({ [`${label}/zone`]: zone, [`${label}/region`]: region });

const orderOf = (nodes: readonly NodeBuilder[]): string[] => {
  const table = tableOf(nodes);
  return [...table.searchOrder()].map((slot) => table.nameOf(slot));
};

test.each<[string, NodeBuilder[], string[]]>([
  ["nodes without zones keep their order", [node("a"), node("b"), node("c")], ["a", "b", "c"]],
  [
    "zones take turns",
    [inZone("a1", "a"), inZone("a2", "a"), inZone("a3", "a"), inZone("b1", "b"), inZone("c1", "c"), inZone("c2", "c")],
    ["a1", "b1", "c1", "a2", "c2", "a3"],
  ],
  [
    "zones of one name in two regions are two",
    [inZone("a1", "a", "r"), inZone("a2", "a", "r"), inZone("x1", "a", "s")],
    ["a1", "x1", "a2"],
  ],
  [
    "the labels of before mean the same zones",
    [inZone("a1", "a"), inZone("a2", "a", "r", "failure-domain.beta.orchernetes.io"), inZone("b1", "b")],
    ["a1", "b1", "a2"],
  ],
  [
    "the labels of before decide if a node has both, as in the original, even if they are empty",
    [
      node("a1").labels({ "topology.orchernetes.io/zone": "a", "failure-domain.beta.orchernetes.io/zone": "b" }),
      node("b1").labels({ "failure-domain.beta.orchernetes.io/zone": "b" }),
      node("x").labels({ "topology.orchernetes.io/zone": "a", "failure-domain.beta.orchernetes.io/zone": "" }),
    ],
    ["a1", "x", "b1"],
  ],
])("%s", (_, nodes, want) => {
  expect(orderOf(nodes)).toEqual(want);
});

test("the order is updated when nodes are added, removed, or moved to another zone", () => {
  const table = tableOf([inZone("a1", "a"), inZone("a2", "a"), inZone("b1", "b")]);
  const names = () => [...table.searchOrder()].map((slot) => table.nameOf(slot));
  expect(names()).toEqual(["a1", "b1", "a2"]);
  table.removeNode("a1");
  expect(names()).toEqual(["a2", "b1"]);
  table.setNode(inZone("a2", "b").build());
  expect(names()).toEqual(["a2", "b1"]);
  table.setNode(inZone("c1", "c").build());
  expect(names()).toEqual(["c1", "a2", "b1"]);
});
