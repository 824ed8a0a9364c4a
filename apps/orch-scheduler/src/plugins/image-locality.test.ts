import { type NodeBuilder, node, type PodBuilder, pod } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { scoresOf, tableOf } from "../testing/tables.ts";
import { imageLocality } from "./image-locality.ts";

const MB = 1024 * 1024;
const having = (name: string, ...images: [string, number][]) =>
  node(name).status({ images: images.map(([image, size]) => ({ names: [image], sizeBytes: size * MB })) });

test.each<[string, PodBuilder, NodeBuilder[], number[] | undefined]>([
  ["no node has it", pod("p").image("x:1"), [having("a", ["y:1", 500])], undefined],
  // Half of the nodes have it: it counts half.
  ["one of two has it", pod("p").image("x:1"), [having("a", ["x:1", 500]), node("b")], [23, 0]],
  ["all have it", pod("p").image("x:1"), [having("a", ["x:1", 500]), having("b", ["x:1", 500])], [48, 48]],
  ["a small one makes no difference", pod("p").image("x:1"), [having("a", ["x:1", 20]), node("b")], [0, 0]],
  ["a large one counts up to a limit", pod("p").image("x:1"), [having("a", ["x:1", 5000])], [100]],
  ["no tag means latest", pod("p").image("r:5000/x"), [having("a", ["r:5000/x:latest", 5000])], [100]],
  ["a digest is a name of its own", pod("p").image("x@sha256:0"), [having("a", ["x@sha256:0", 5000])], [100]],
  [
    "containers count together",
    pod("p").image("x:1").container({ name: "b", image: "y:1" }),
    [having("a", ["x:1", 1000])],
    [49],
  ],
])("%s", (_, wanting, nodes, want) => {
  expect(scoresOf(imageLocality, wanting, tableOf(nodes))).toEqual(want);
});

test("scores change when images are added or removed", () => {
  const table = tableOf([having("a", ["x:1", 5000])]);
  table.setNode(having("a", ["y:1", 5000]).build());
  expect(scoresOf(imageLocality, pod("p").image("x:1"), table)).toBeUndefined();
  expect(scoresOf(imageLocality, pod("p").image("y:1"), table)).toEqual([100]);
  table.removeNode("a");
  table.setNode(node("b").build());
  expect(scoresOf(imageLocality, pod("p").image("y:1"), table)).toBeUndefined();
});
