import type { core } from "@orchernetes/api";
import { type NodeBuilder, node, type PodBuilder, pod } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import type { FilterPlugin } from "../framework/interfaces.ts";
import { tableOf, verdictsOf } from "../testing/tables.ts";
import { nodeAffinityFilter } from "./node-affinity.ts";
import { nodeName } from "./node-name.ts";
import { nodePorts } from "./node-ports.ts";
import { nodeResourcesFit } from "./node-resources-fit.ts";
import { nodeUnschedulable } from "./node-unschedulable.ts";
import { taintTolerationFilter } from "./taint-toleration.ts";

type Row = [name: string, pod: PodBuilder, nodes: NodeBuilder[], placed: PodBuilder[], want: string[]];

const check = (plugin: FilterPlugin, [, wanting, nodes, placed, want]: Row) =>
  expect(verdictsOf(plugin, wanting, tableOf(nodes, placed))).toEqual(want);

const cordoned = "node(s) were unschedulable";
test.each<Row>([
  ["cordoned nodes refuse", pod("p"), [node("a").unschedulable(), node("b")], [], [cordoned, ""]],
  [
    "unless tolerated",
    pod("p").toleration({ key: "node.orchernetes.io/unschedulable", operator: "Exists", effect: "NoSchedule" }),
    [node("a").unschedulable()],
    [],
    [""],
  ],
  [
    "another toleration does not help",
    pod("p").toleration({ key: "k", operator: "Exists" }),
    [node("a").unschedulable()],
    [],
    [cordoned],
  ],
])("NodeUnschedulable: %s", (...row) => check(nodeUnschedulable, row));

const otherName = "node(s) didn't match the requested node name";
test.each<Row>([
  ["no name", pod("p"), [node("a")], [], [""]],
  ["the name", pod("p").on("a"), [node("a"), node("b")], [], ["", otherName]],
  ["a name that is no node's", pod("p").on("x"), [node("a")], [], [otherName]],
])("NodeName: %s", (...row) => check(nodeName, row));

const taken = "node(s) didn't have free ports for the requested pod ports";
test.each<Row>([
  ["no ports", pod("p"), [node("a")], [pod("q").on("a").hostPorts(80)], [""]],
  [
    "a port that is taken",
    pod("p").hostPorts(80),
    [node("a"), node("b")],
    [pod("q").on("a").hostPorts(80)],
    [taken, ""],
  ],
  ["one of two", pod("p").hostPorts(81, 80), [node("a")], [pod("q").on("a").hostPorts(80)], [taken]],
])("NodePorts: %s", (...row) => check(nodePorts, row));

const small = node("a").capacity({ cpu: "1", memory: "1Gi", pods: "2", "example.com/gpu": "1" });
test.each<Row>([
  ["what fits exactly", pod("p").requests({ cpu: "1", memory: "1Gi", "example.com/gpu": "1" }), [small], [], [""]],
  ["nothing asked for", pod("p"), [node("a").capacity({ pods: "1" })], [], [""]],
  ["a zero of what no node has", pod("p").requests({ "example.com/none": "0" }), [small], [], [""]],
  ["what no node has", pod("p").requests({ "example.com/none": "1" }), [small], [], ["Insufficient example.com/none"]],
  [
    "every reason of a node",
    pod("p").requests({ cpu: "1001m", memory: "2Gi", "example.com/gpu": "2" }),
    [small],
    [],
    ["Insufficient cpu, Insufficient memory, Insufficient example.com/gpu"],
  ],
  [
    "what others use is not there",
    pod("p").requests({ cpu: "500m" }),
    [small, node("b").capacity({ cpu: "1", pods: "2" })],
    [pod("q").on("a").requests({ cpu: "501m" })],
    ["Insufficient cpu", ""],
  ],
  ["too many pods", pod("p"), [small], [pod("q").on("a"), pod("r").on("a")], ["Too many pods"]],
])("NodeResourcesFit: %s", (...row) => check(nodeResourcesFit(), row));

test.each<[resource: string, isIgnored: boolean]>([
  ["example.com/gpu", true],
  ["example.net/gpu", true],
  ["example.org/gpu", false],
  // Those of the system are no extended resources.
  ["orchernetes.io/batch", false],
  ["hugepages-2Mi", false],
])("NodeResourcesFit: whether %s is ignored: %s", (resource, isIgnored) => {
  const ignoredResources = ["example.com/gpu", "orchernetes.io/batch", "hugepages-2Mi"];
  const fit = nodeResourcesFit({ ignoredResources, ignoredResourceGroups: ["example.net", "hugepages-2M"] });
  check(fit, ["", pod("p").requests({ [resource]: "1" }), [small], [], [isIgnored ? "" : `Insufficient ${resource}`]]);
});

const untolerated = (key: string, value: string) => `node(s) had untolerated taint {${key}: ${value}}`;
const dedicated = node("a").taint("dedicated", "NoSchedule", "db");
test.each<Row>([
  ["no taints", pod("p"), [node("a")], [], [""]],
  ["a taint", pod("p"), [dedicated, node("b")], [], [untolerated("dedicated", "db"), ""]],
  ["NoExecute counts too", pod("p"), [node("a").taint("k", "NoExecute")], [], [untolerated("k", "")]],
  ["PreferNoSchedule does not", pod("p"), [node("a").taint("k", "PreferNoSchedule")], [], [""]],
  [
    "the first untolerated one is reported",
    pod("p").toleration({ key: "a", operator: "Exists" }),
    [node("a").taint("a", "NoSchedule").taint("b", "NoSchedule", "2").taint("c", "NoSchedule")],
    [],
    [untolerated("b", "2")],
  ],
  [
    "the first taint of each node is named",
    pod("p"),
    [
      node("a").taint("a", "NoSchedule").taint("b", "NoSchedule"),
      node("b").taint("b", "NoSchedule").taint("a", "NoSchedule"),
    ],
    [],
    [untolerated("a", ""), untolerated("b", "")],
  ],
])("TaintToleration: %s", (...row) => check(taintTolerationFilter, row));

test.each<[core.Toleration, boolean]>([
  [{ key: "dedicated", operator: "Equal", value: "db", effect: "NoSchedule" }, true],
  [{ key: "dedicated", value: "db" }, true],
  [{ key: "dedicated", operator: "" as "Equal", value: "db" }, true],
  [{ key: "dedicated", operator: "Exists" }, true],
  [{ operator: "Exists" }, true],
  [{ key: "dedicated", operator: "Equal", value: "web" }, false],
  [{ key: "dedicated", operator: "Exists", effect: "NoExecute" }, false],
  [{ key: "other", operator: "Exists" }, false],
  [{ operator: "Equal", value: "db" }, true],
])("toleration %j of {dedicated: db} NoSchedule: %s", (toleration, want) => {
  const [verdict] = verdictsOf(taintTolerationFilter, pod("p").toleration(toleration), tableOf([dedicated]));
  expect(verdict === "").toBe(want);
});

const requires = (...matchExpressions: core.NodeSelectorRequirement[]) =>
  pod("p").affinity({
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] } },
  });
const unmatched = "node(s) didn't match Pod's node affinity/selector";
const labelled = [node("a").labels({ zone: "1", size: "5" }), node("b").labels({ zone: "2" })];
test.each<Row>([
  ["a selector", pod("p").nodeSelector({ zone: "1" }), labelled, [], ["", unmatched]],
  [
    "a selector of a prototype's key",
    pod("p").nodeSelector({ constructor: "x" }),
    labelled,
    [],
    [unmatched, unmatched],
  ],
  ["In", requires({ key: "zone", operator: "In", values: ["2", "3"] }), labelled, [], [unmatched, ""]],
  [
    "NotIn without the label",
    requires({ key: "size", operator: "NotIn", values: ["5"] }),
    labelled,
    [],
    [unmatched, ""],
  ],
  ["Exists", requires({ key: "size", operator: "Exists" }), labelled, [], ["", unmatched]],
  ["DoesNotExist", requires({ key: "size", operator: "DoesNotExist" }), labelled, [], [unmatched, ""]],
  ["Gt", requires({ key: "size", operator: "Gt", values: ["4"] }), labelled, [], ["", unmatched]],
  ["Lt", requires({ key: "size", operator: "Lt", values: ["5"] }), labelled, [], [unmatched, unmatched]],
  ["a term without requirements matches none", requires(), labelled, [], [unmatched, unmatched]],
  [
    "all of a term, any of the terms",
    pod("p").affinity({
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [
            {
              matchExpressions: [
                { key: "zone", operator: "In", values: ["1"] },
                { key: "size", operator: "DoesNotExist" },
              ],
            },
            { matchFields: [{ key: "metadata.name", operator: "In", values: ["b"] }] },
          ],
        },
      },
    }),
    labelled,
    [],
    [unmatched, ""],
  ],
])("NodeAffinity: %s", (...row) => check(nodeAffinityFilter(), row));

test("NodeAffinity uses the new labels of a changed node, and of a node in a freed slot", () => {
  const plugin = nodeAffinityFilter();
  const table = tableOf(labelled);
  const wanting = pod("p").nodeSelector({ zone: "1" });
  expect(verdictsOf(plugin, wanting, table)).toEqual(["", unmatched]);
  table.setNode(node("b").labels({ zone: "1" }).build());
  expect(verdictsOf(plugin, wanting, table)).toEqual(["", ""]);
  table.removeNode("a");
  table.setNode(node("c").labels({ zone: "3" }).build());
  expect(verdictsOf(plugin, wanting, table)).toEqual([unmatched, ""]);
});
