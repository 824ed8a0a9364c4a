import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import { expect, test } from "vitest";
import { meta, pod } from "../../testing/builders.ts";
import { missingNodes, type PodGcState, reconcile } from "./reconcile.ts";

const now = new Date("2024-01-01T01:00:00Z");
const node = (name: string, taints: readonly core.Taint[] = []): Stored<core.Node> => ({
  metadata: meta(name),
  spec: { taints },
  status: {} as core.NodeStatus,
});
const outOfService: core.Taint = { key: "node.orchernetes.io/out-of-service", effect: "NoExecute" };

test.each<[string, Partial<PodGcState>, readonly string[]]>([
  ["nothing amiss", { pods: [pod("a", { node: "n" })] }, []],
  [
    "too many ended pods: the oldest go",
    {
      terminatedThreshold: 1,
      pods: [
        pod("young", { node: "n", phase: "Failed", created: "2024-01-01T00:30:00Z" }),
        pod("old", { node: "n", phase: "Succeeded" }),
        pod("running", { node: "n" }),
      ],
    },
    ["old"],
  ],
  ["no limit", { terminatedThreshold: 0, pods: [pod("a", { node: "n", phase: "Failed" })] }, []],
  [
    "node missing for a while",
    { pods: [pod("a", { node: "gone" })], missingSince: new Map([["gone", now.getTime() - 40_000]]) },
    ["a"],
  ],
  [
    "node missing for a moment",
    { pods: [pod("a", { node: "gone" })], missingSince: new Map([["gone", now.getTime() - 39_000]]) },
    [],
  ],
  ["leaving without a node", { pods: [pod("a", { deleting: true }), pod("b")] }, ["a"]],
  [
    "leaving on an out-of-service node",
    { nodes: [node("n", [outOfService])], pods: [pod("a", { node: "n", deleting: true }), pod("b", { node: "n" })] },
    ["a"],
  ],
])("%s", (_, state, want) => {
  const { actions } = reconcile(
    { pods: [], nodes: [node("n")], missingSince: new Map(), terminatedThreshold: 10, ...state },
    now,
  );
  expect(actions.map((action) => action.pod.metadata.name)).toEqual(want);
});

test("a missing node is missed since it was first missed", () => {
  const pods = [pod("a", { node: "gone" }), pod("b", { node: "new" }), pod("c", { node: "n" })];
  const before = new Map([
    ["gone", 1],
    ["back", 2],
  ]);
  expect([...missingNodes(pods, [node("n")], before, now)]).toEqual([
    ["gone", 1],
    ["new", now.getTime()],
  ]);
});
