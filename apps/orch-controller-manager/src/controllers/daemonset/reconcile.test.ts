import type { apps, core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import { describe, expect, test } from "vitest";
import { meta, type PodSketch, pod as podOf, template } from "../../testing/builders.ts";
import { type DaemonSet, daemonPod, type Pod, targetNode } from "./daemon-pod.ts";
import { nodeFit } from "./node-fit.ts";
import { reconcile } from "./reconcile.ts";
import { statusOf } from "./status.ts";

const now = new Date("2024-01-01T00:10:00Z");

function set(rollingUpdate: apps.RollingUpdateDaemonSet = { maxUnavailable: 1 }, type = "RollingUpdate"): DaemonSet {
  return {
    metadata: { ...meta("d"), generation: 1 },
    spec: {
      selector: { matchLabels: { app: "x" } },
      template: template(),
      updateStrategy: { type: type as "RollingUpdate", rollingUpdate },
    },
    status: { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 },
  };
}
function node(name: string, taints: readonly core.Taint[] = [], labels = {}): Stored<core.Node> {
  return {
    metadata: { ...meta(name, ""), labels },
    spec: { taints: [...taints] },
    status: {},
  } as unknown as Stored<core.Node>;
}
const pod = (name: string, node: string, hash = "new", more: PodSketch = {}): Pod =>
  podOf(name, { node, ready: true, labels: { app: "x", "controller-revision-hash": hash }, ...more });

function decide(of: DaemonSet, nodes: readonly Stored<core.Node>[], pods: readonly Pod[], backoffMs = 0): string {
  const plan = reconcile({ set: of, nodes, pods, hash: "new", backoffMs: () => backoffMs }, now);
  return plan.actions
    .map((action) => {
      switch (action.type) {
        case "CreatePods":
          return `create ${action.nodeNames.join("+")}`;
        case "DeletePods":
          return `delete ${action.pods.map(({ metadata }) => metadata.name).join("+")}`;
        default:
          return action.reason;
      }
    })
    .join(", ");
}

const ab = [node("a"), node("b")];
const noExecute = { key: "k", effect: "NoExecute" } as const;
const noSchedule = { key: "k", effect: "NoSchedule" } as const;

test.each([
  ["one per node", set(), ab, [pod("p", "a")], "create b"],
  ["all there", set(), ab, [pod("p", "a"), pod("q", "b")], ""],
  [
    "too many",
    set(),
    [node("a")],
    [pod("q", "a", "new", { created: "2024-01-01T00:01:00Z" }), pod("p", "a")],
    "delete q",
  ],
  ["tainted to keep out", set(), [node("a", [noSchedule])], [], ""],
  ["tainted to keep out, but there", set(), [node("a", [noSchedule])], [pod("p", "a")], ""],
  ["tainted to drive out", set(), [node("a", [noExecute])], [pod("p", "a")], "delete p"],
  ["failed", set(), [node("a")], [pod("p", "a", "new", { phase: "Failed" })], "FailedDaemonPod, delete p"],
  ["succeeded", set(), [node("a")], [pod("p", "a", "new", { phase: "Succeeded" })], "SucceededDaemonPod, delete p"],
  ["on its way out", set(), [node("a")], [pod("p", "a", "new", { deleting: true })], ""],
  ["update one at a time", set(), ab, [pod("p", "a", "old"), pod("q", "b", "old")], "delete p"],
  ["update waits", set(), ab, [pod("p", "a", "old"), pod("q", "b", "new", { ready: false })], ""],
  [
    "update replaces what is down",
    set(),
    ab,
    [pod("p", "a", "old"), pod("q", "b", "old", { ready: false })],
    "delete q",
  ],
  ["on delete", set({}, "OnDelete"), [node("a")], [pod("p", "a", "old")], ""],
  [
    "surge starts",
    set({ maxSurge: 1, maxUnavailable: 0 }),
    ab,
    [pod("p", "a", "old"), pod("q", "b", "old")],
    "create a",
  ],
  [
    "surge waits",
    set({ maxSurge: 1 }),
    [node("a")],
    [pod("p", "a", "old"), pod("q", "a", "new", { ready: false })],
    "",
  ],
  ["surge ends", set({ maxSurge: 1 }), [node("a")], [pod("p", "a", "old"), pod("q", "a")], "delete p"],
])("%s", (_, of, nodes, pods, want) => expect(decide(of, nodes, pods)).toBe(want));

test("a pod that fails repeatedly is replaced after a back-off", () => {
  expect(decide(set(), [node("a")], [pod("p", "a", "new", { phase: "Failed" })], 5000)).toBe("");
});

describe("fit", () => {
  const required = (terms: core.NodeSelectorTerm[]): core.PodSpec["affinity"] => ({
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } },
  });
  const unschedulable = { key: "node.orchernetes.io/unschedulable", effect: "NoSchedule" } as const;
  test.each<[string, Partial<core.PodSpec>, Stored<core.Node>, boolean]>([
    ["cordoned", {}, node("a", [unschedulable]), true],
    ["selector", { nodeSelector: { disk: "ssd" } }, node("a", [], { disk: "ssd" }), true],
    ["selector unmet", { nodeSelector: { disk: "ssd" } }, node("a"), false],
    ["name", { nodeName: "b" }, node("a"), false],
    ["affinity", { affinity: required([{ matchExpressions: [{ key: "x", operator: "Exists" }] }]) }, node("a"), false],
    ["tolerated", { tolerations: [{ key: "k", operator: "Exists" }] }, node("a", [noExecute]), true],
    [
      "tolerated without an operator",
      { tolerations: [{ key: "k", operator: "" as "Equal" }] },
      node("a", [noExecute]),
      true,
    ],
  ])("%s", (_, spec, on, want) => {
    expect(nodeFit({ containers: [], ...spec }, on).shouldRun).toBe(want);
  });
});

test("a daemon's pod is bound to its node by affinity", () => {
  const made = daemonPod(set(), "new", "a");
  expect(targetNode({ ...pod("p", ""), spec: made.spec })).toBe("a");
  expect(made.spec.tolerations?.map(({ key }) => key?.split("/")[1])).toEqual([
    "not-ready",
    "unreachable",
    "disk-pressure",
    "memory-pressure",
    "pid-pressure",
    "unschedulable",
  ]);
});

test("status", () => {
  const nodes = [...ab, node("c"), node("d", [noSchedule])];
  const pods = [pod("p", "a"), pod("q", "b", "old", { ready: false }), pod("r", "d")];
  expect(statusOf({ set: set(), nodes, pods, hash: "new" }, now)).toEqual({
    currentNumberScheduled: 2,
    numberMisscheduled: 1,
    desiredNumberScheduled: 3,
    numberReady: 1,
    observedGeneration: 1,
    updatedNumberScheduled: 1,
    numberAvailable: 1,
    numberUnavailable: 2,
  });
});
