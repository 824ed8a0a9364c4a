import { expect, test } from "vitest";
import { ClusterSize } from "./cluster-size.ts";
import { reconcile, type TtlState } from "./reconcile.ts";

function grow(size: ClusterSize, by: number): number {
  for (let i = 0; i < by; i++) size.added();
  for (let i = 0; i > by; i--) size.removed();
  return size.ttlSeconds;
}

test("the larger the cluster, the longer nodes may cache; it must shrink clearly before that is taken back", () => {
  const size = new ClusterSize();
  expect(size.ttlSeconds).toBe(0);
  const ttlAfter = [100, 1, -11, -1, 11, 399, 1, 500, 1000, 3000, -3200, -1].map((by) => [by, grow(size, by)]);
  expect(ttlAfter).toEqual([
    [100, 0],
    [1, 15],
    // 90 nodes.
    [-11, 15],
    [-1, 0],
    [11, 0],
    // 499 and 500 nodes.
    [399, 15],
    [1, 15],
    [500, 30],
    [1000, 60],
    // 5000 nodes.
    [3000, 300],
    // 1800 nodes.
    [-3200, 300],
    [-1, 60],
  ]);
});

const node = (annotation?: string): TtlState["node"] => ({
  metadata: {
    name: "n",
    uid: "u",
    resourceVersion: "1",
    creationTimestamp: "2024-01-01T00:00:00Z",
    ...(annotation === undefined ? {} : { annotations: { "node.alpha.orchernetes.io/ttl": annotation } }),
  },
});

test.each([
  [undefined, true],
  ["15", false],
  ["+015", false],
  ["0", true],
  ["15s", true],
  ["", true],
  [" 15", true],
])("a node with the annotation %j is annotated with 15: %s", (annotation, written) => {
  const { actions } = reconcile({ node: node(annotation), ttlSeconds: 15 });
  expect(actions).toEqual(written ? [{ type: "Annotate", ttlSeconds: 15 }] : []);
});
