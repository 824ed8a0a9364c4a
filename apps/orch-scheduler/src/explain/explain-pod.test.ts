import { atOnce } from "@orchernetes/kernel";
import { type NodeBuilder, node, type PodBuilder, pod } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { NominatedPods } from "../cache/nominated-pods.ts";
import { podInfo } from "../cache/pod-info.ts";
import type { AnyPlugin } from "../framework/extension-point.ts";
import type { FilterPlugin, PreEnqueuePlugin, PreFilterPlugin } from "../framework/interfaces.ts";
import { RandomNumbers } from "../random-numbers.ts";
import { profileOf } from "../testing/profiles.ts";
import { tableOf } from "../testing/tables.ts";
import { explainPod } from "./explain-pod.ts";
import type { PodExplanation } from "./explanation.ts";
import { explanationText } from "./explanation-text.ts";

const HOSTNAME = "orchernetes.io/hostname";
const ofCpu = (name: string, cpu: string): NodeBuilder => node(name).capacity({ cpu, memory: "8Gi", pods: "10" });

function explain(
  wanting: PodBuilder,
  nodes: readonly NodeBuilder[],
  placed: readonly PodBuilder[] = [],
  nominated: readonly (readonly [PodBuilder, string])[] = [],
): PodExplanation {
  const nominations = new NominatedPods();
  for (const [other, on] of nominated) nominations.set(podInfo(other.build()), on);
  const random = new RandomNumbers(1);
  const explained = { pod: wanting.build(), queued: undefined, assumedNode: undefined, profile: profileOf() };
  const state = { nodes: tableOf(nodes, placed), nominations, start: 0, random, revision: () => 0 };
  const explanation = atOnce(explainPod(explained, state));
  expect(random.state).toBe(1);
  if (explanation === undefined) throw new Error("interrupted");
  return explanation;
}

/** The texts after the plugins' names, by node. */
const shortfalls = ({ nodes }: PodExplanation): unknown =>
  Object.fromEntries(
    (nodes?.groups ?? []).flatMap((group) =>
      group.nodes.map((one) => [
        one.node,
        one.refusals.flatMap((refusal) =>
          refusal.shortfalls.map(({ what, needed, available }) => [refusal.plugin, what, needed, available].join("|")),
        ),
      ]),
    ),
  );

const selecting = (app: string, topologyKey: string) => ({ labelSelector: { matchLabels: { app } }, topologyKey });

test.each<[string, PodBuilder, string[]]>([
  [
    "a cordon",
    pod("p"),
    [
      "NodeUnschedulable|spec.unschedulable|false, or a toleration of node.orchernetes.io/unschedulable:NoSchedule|true",
    ],
  ],
  ["a taint", pod("p"), ["TaintToleration|taint|a toleration|k=v:NoExecute"]],
  [
    "a node selector",
    pod("p").nodeSelector({ zone: "y", none: "1" }),
    ['NodeAffinity|label zone|"y"|"z"', 'NodeAffinity|label none|"1"|(no such label)'],
  ],
  ["host ports", pod("p").hostPorts(80), ["NodePorts|host port 0.0.0.0:80/TCP|free|used by pod default/there"]],
  [
    "resources",
    pod("p").requests({ cpu: "3500m", "example.com/gpu": "2" }),
    ["NodeResourcesFit|cpu|3500m|3", "NodeResourcesFit|example.com/gpu|2|0"],
  ],
])("an explanation says what a node lacks: %s", (_, wanting, want) => {
  let builder = ofCpu("a", "4").labels({ zone: "z" });
  if (want[0]?.startsWith("NodeUnschedulable")) builder = builder.unschedulable();
  if (want[0]?.startsWith("TaintToleration")) builder = builder.taint("k", "NoExecute", "v");
  const there = pod("there").on("a").requests({ cpu: "1" }).hostPorts(80);
  expect(shortfalls(explain(wanting, [builder], [there]))).toEqual({ a: want });
});

test("for a bound pod, no decision is explained", () => {
  const { state, decision } = explain(pod("p").on("b"), [ofCpu("a", "4")]);
  expect([state, decision]).toEqual([{ type: "bound", node: "b" }, undefined]);
});

test("filters after the first one that rejects a node are run, too", () => {
  const wanting = pod("p")
    .requests({ cpu: "9" })
    .labels({ app: "w" })
    .spec({
      affinity: {
        podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [selecting("x", "zone")] },
        podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [selecting("w", HOSTNAME)] },
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [
              {
                matchExpressions: [
                  { key: "zone", operator: "In", values: ["y"] },
                  { key: "disk", operator: "Exists" },
                ],
              },
              { matchExpressions: [{ key: "zone", operator: "NotIn", values: ["z", "q"] }] },
            ],
          },
        },
      },
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: HOSTNAME,
          whenUnsatisfiable: "DoNotSchedule",
          labelSelector: { matchLabels: { app: "w" } },
        },
      ],
    });
  const there = pod("there").on("a").labels({ app: "w" });
  expect(shortfalls(explain(wanting, [ofCpu("a", "4").labels({ zone: "z" }), ofCpu("b", "4")], [there]))).toEqual({
    a: [
      'NodeAffinity|label zone|NotIn [z, q]|"z"',
      "NodeResourcesFit|cpu|9|4",
      'InterPodAffinity|pods with app=x in zone "z"|at least 1|0',
      `InterPodAffinity|pods that its anti-affinity selects (app=w) in ${HOSTNAME} "a"|0|1`,
    ],
    b: ["NodeResourcesFit|cpu|9|4", "InterPodAffinity|label zone|any value|(no such label)"],
  });
});

test("a domain with too many pods to spread is named with its limit", () => {
  const spread = {
    maxSkew: 1,
    topologyKey: "zone",
    whenUnsatisfiable: "DoNotSchedule",
    labelSelector: { matchLabels: { app: "w" } },
  } as const;
  const wanting = pod("p")
    .labels({ app: "w" })
    .spec({ topologySpreadConstraints: [spread] });
  const full = ofCpu("a", "4").labels({ zone: "z" });
  const other = ofCpu("b", "4").labels({ zone: "y" }).unschedulable();
  const explanation = explain(
    wanting,
    [full, other, ofCpu("c", "4")],
    [pod("one").on("a").labels({ app: "w" }), pod("two").on("a").labels({ app: "w" })],
  );
  expect(shortfalls(explanation)).toMatchObject({
    a: ['PodTopologySpread|pods to spread in zone "z", with maxSkew 1|at most 0|2'],
    c: ["PodTopologySpread|label zone|any value|(no such label)"],
  });
});

test("an explanation says that a node is reserved for nominated pods", () => {
  const nominee = pod("nominee").priority(5).requests({ cpu: "3" });
  const explanation = explain(pod("p").requests({ cpu: "2" }), [ofCpu("a", "4")], [], [[nominee, "a"]]);
  expect(explanation.nodes?.groups[0]?.nodes[0]).toMatchObject({
    keptFor: ["default/nominee"],
    refusals: [{ plugin: "NodeResourcesFit", shortfalls: [{ available: "1" }] }],
  });
});

test("an explanation contains the result of preemption, and the plugins that accept a node", () => {
  const explanation = explain(
    pod("p").priority(5).requests({ cpu: "4" }),
    [ofCpu("a", "4"), ofCpu("b", "2")],
    [pod("victim").on("a").requests({ cpu: "1" })],
  );
  expect(explanation.preemption).toEqual([
    { plugin: "DefaultPreemption", type: "nominate", node: "a", victims: ["default/victim"] },
  ]);
  expect(explanation.nodes?.groups[0]?.passed).toContain("InterPodAffinity");
  expect(explanation.nodes?.groups[0]?.passed).not.toContain("NodeResourcesFit");
});

test("thousands of nodes are shown as a few groups, with the closest nodes of each group", () => {
  const nodes = Array.from({ length: 1000 }, (_, i) => {
    const one = ofCpu(`n${i}`, String(1 + (i % 3)));
    return i < 10 ? one.taint("k", "NoSchedule") : one;
  });
  const explanation = explain(pod("p").requests({ cpu: "4" }), nodes);
  expect(explanation.nodes).toMatchObject({ total: 1000, feasible: 0, omitted: { groups: 0, nodes: 0 } });
  expect(explanation.nodes?.groups.map(({ count, nodes }) => [count, nodes.length])).toEqual([
    [990, 3],
    [10, 3],
  ]);
  expect(explanation.nodes?.nearest.map((one) => one.refusals[0]?.shortfalls[0]?.missing)).toEqual(["1", "1", "1"]);
  expect(JSON.stringify(explanation).length).toBeLessThan(20_000);
});

test("groups beyond the limit are counted", () => {
  const nodes = Array.from({ length: 120 }, (_, i) => ofCpu(`n${i}`, "4").taint(`k${i}`, "NoSchedule"));
  expect(explain(pod("p"), nodes).nodes).toMatchObject({ groups: { length: 40 }, omitted: { groups: 80, nodes: 80 } });
});

test("an explanation as text", () => {
  const nodes = [ofCpu("a", "1"), ofCpu("b", "2"), ofCpu("c", "9").taint("k", "NoSchedule", "v")];
  const wanting = pod("p")
    .spec({ schedulerName: "default-scheduler" })
    .requests({ cpu: "2500m" })
    .status({
      conditions: [
        {
          type: "PodScheduled",
          status: "False",
          reason: "Unschedulable",
          message: "0/3",
          lastTransitionTime: "2026-01-01T00:00:00Z",
        },
      ],
    });
  expect(explanationText(explain(wanting, nodes))).toMatchInlineSnapshot(`
    "Pod default/p (scheduler default-scheduler, priority 0)
    State: not in the queue yet
    Last attempt: Unschedulable since 2026-01-01T00:00:00Z: 0/3
    Now: 0/3 nodes are available: 1 node(s) had untolerated taint {k: v}, 2 Insufficient cpu. preemption: 0/3 nodes are available: 1 Preemption is not helpful for scheduling, 2 No preemption victims found for incoming pod..

    Closest:
      b
        NodeResourcesFit: cpu: needs 2500m, has 2, lacks 500m
      a
        NodeResourcesFit: cpu: needs 2500m, has 1, lacks 1500m
      c
        TaintToleration: taint: needs a toleration, has k=v:NoSchedule

    Nodes: 3 (0 feasible)
    2 nodes rejected by NodeResourcesFit (Insufficient cpu); accepted by NodeUnschedulable, NodeName, TaintToleration, NodeAffinity, NodePorts, VolumeRestrictions, EBSLimits, GCEPDLimits, NodeVolumeLimits, AzureDiskLimits, VolumeBinding, VolumeZone, PodTopologySpread, InterPodAffinity:
      b
        NodeResourcesFit: cpu: needs 2500m, has 2, lacks 500m
      a
        NodeResourcesFit: cpu: needs 2500m, has 1, lacks 1500m
    1 node rejected by TaintToleration (node(s) had untolerated taint {k: v}); accepted by NodeUnschedulable, NodeName, NodeAffinity, NodePorts, NodeResourcesFit, VolumeRestrictions, EBSLimits, GCEPDLimits, NodeVolumeLimits, AzureDiskLimits, VolumeBinding, VolumeZone, PodTopologySpread, InterPodAffinity:
      c
        TaintToleration: taint: needs a toleration, has k=v:NoSchedule

    Preemption:
      DefaultPreemption: preemption: 0/3 nodes are available: 1 Preemption is not helpful for scheduling, 2 No preemption victims found for incoming pod.

    The scheduler tries again:
      when a node is added (TaintToleration, NodeResourcesFit)
      when the allocatable resources of a node change (NodeResourcesFit)
      when the taints of a node change, or it is uncordoned (TaintToleration)
      when a pod on a node is deleted, or requests less (NodeResourcesFit)
      in any case after --pod-max-in-unschedulable-pods-duration (5 minutes by default)
    "
  `);
});

test("for a pod that a plugin cannot process, the explanation is the error", () => {
  const spread = {
    maxSkew: 1,
    topologyKey: "zone",
    whenUnsatisfiable: "DoNotSchedule",
    labelSelector: { matchExpressions: [{ key: "a", operator: "Odd" }] },
  } as const;
  const wanting = pod("p").spec({ topologySpreadConstraints: [spread as never] });
  expect(explain(wanting, [ofCpu("a", "4")]).error).toContain("Odd");
});

/** The explanation with a plugin of a user before all others. */
function explainWith(plugin: Partial<AnyPlugin>, nodes: readonly NodeBuilder[]) {
  const own = { name: "Mine", ...plugin };
  const base = profileOf();
  const profile = {
    ...base,
    ...(own.preFilter !== undefined && { preFilters: [own as PreFilterPlugin, ...base.preFilters] }),
    ...(own.filter !== undefined && { filters: [own as FilterPlugin, ...base.filters] }),
    ...(own.preEnqueue !== undefined && { preEnqueues: [own as PreEnqueuePlugin] }),
  };
  const explained = { pod: pod("p").build(), queued: undefined, assumedNode: undefined, profile };
  const table = tableOf(nodes);
  let revision = 0;
  const state = {
    nodes: table,
    nominations: new NominatedPods(),
    start: 0,
    random: new RandomNumbers(1),
    revision: () => revision + table.revision,
  };
  return {
    table,
    changeElsewhere: () => revision++,
    steps: explainPod(explained, state),
    done(): PodExplanation {
      const explanation = atOnce(explainPod(explained, state));
      if (explanation === undefined) throw new Error("interrupted");
      return explanation;
    },
  };
}

test("a user's plugin is named if it rejects nodes, allows only some nodes, or keeps the pod out of the queue", () => {
  const nodes = [ofCpu("a", "4"), ofCpu("b", "4")];
  const refusing = explainWith(
    { filter: () => ({ check: (slot) => slot, reasons: [{ text: "not today", evictionHelps: false }] }) },
    nodes,
  ).done();
  expect(refusing.nodes?.groups.flatMap(({ refusals }) => refusals)).toEqual([
    { plugin: "Mine", reasons: ["not today"], evictionHelps: false },
  ]);
  const allowing = explainWith({ preFilter: () => ({ nodeNames: new Set(["b"]) }) }, nodes).done();
  expect(allowing).toMatchObject({ decision: { type: "node", node: "b" }, nodes: { feasible: 1 } });
  expect(allowing.nodes?.nearest).toMatchObject([
    { node: "a", refusals: [{ plugin: "Mine", reasons: ["node(s) didn't satisfy plugin Mine"] }] },
  ]);
  const holding = explainWith({ preEnqueue: () => "wait for the quota" }, nodes).done();
  expect(holding.holds).toEqual([{ plugin: "Mine", message: "wait for the quota" }]);
  expect(explanationText(holding)).toContain("Kept out of the queue by Mine: wait for the quota\n");
});

test.each<[string, string, Partial<AnyPlugin>]>([
  [
    "before all nodes",
    'running PreFilter plugin "Mine": oops',
    {
      preFilter: () => {
        throw new Error("oops");
      },
    },
  ],
  [
    "when it prepares its filter",
    'running "Mine" filter plugin: oops',
    {
      filter: () => {
        throw new Error("oops");
      },
    },
  ],
])("a plugin that fails %s is named, and the results of the others are explained", (_, error, plugin) => {
  const explanation = explainWith(plugin, [ofCpu("a", "4").taint("k", "NoSchedule")]).done();
  expect(explanation).toMatchObject({
    error,
    rejections: [{ plugin: "Mine", message: "the plugin fails: oops" }],
    nodes: { nearest: [{ refusals: [{ plugin: "TaintToleration" }] }] },
  });
});

test("a plugin that fails for a node is named at that node", () => {
  const check = () => {
    throw new Error("oops");
  };
  const explanation = explainWith({ filter: () => ({ check, reasons: [] }) }, [ofCpu("a", "4")]).done();
  expect(explanation).toMatchObject({
    error: 'running "Mine" filter plugin: oops',
    nodes: { nearest: [{ refusals: [{ plugin: "Mine", reasons: ["the plugin fails: oops"] }] }] },
  });
});

test("filters are prepared once for all nodes, and again only after changes", () => {
  let prepared = 0;
  const filter = () => {
    prepared++;
    return { check: () => 0, reasons: [] };
  };
  const nodes = Array.from({ length: 1000 }, (_, i) => ofCpu(`n${i}`, "4"));
  const quiet = explainWith({ filter }, nodes);
  expect(quiet.done().nodes?.feasible).toBe(1000);
  // Once for the decision.
  expect(prepared).toBe(2);
  prepared = 0;
  const { steps, table, changeElsewhere } = explainWith({ filter }, nodes);
  let left = 0;
  for (let next = steps.next(); next.done !== true; next = steps.next(false)) {
    left++;
    if (left === 3) table.addPod("n500", podInfo(pod("other").build()));
    if (left === 5) changeElsewhere();
  }
  expect([left, prepared]).toEqual([16, 4]);
});

test("text from objects cannot control the terminal, or imitate a line of the explanation", () => {
  const message = "no room\u001b[2J\nNow: node a\u202e";
  const conditions = [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message } as const];
  const text = explanationText(explain(pod("p").status({ conditions }), [ofCpu("a", "4")]));
  expect(text).toContain("Last attempt: Unschedulable: no room\\u001b[2J\\u000aNow: node a\\u202e\n");
});
