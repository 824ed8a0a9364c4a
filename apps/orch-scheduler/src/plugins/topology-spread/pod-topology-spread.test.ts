import type { core } from "@orchernetes/api";
import { selectorFromSet } from "@orchernetes/apimachinery";
import { type NodeBuilder, node, type PodBuilder, pod } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { scoresOf, tableOf, verdictsOf } from "../../testing/tables.ts";
import { createNodeMatches } from "../node-matches.ts";
import { SYSTEM_DEFAULTS } from "./constraints.ts";
import { podTopologySpreadFilter, podTopologySpreadScore, type TopologySpreadOptions } from "./pod-topology-spread.ts";

type Constraint = Partial<core.TopologySpreadConstraint>;
const options = (given: Partial<TopologySpreadOptions> = {}): TopologySpreadOptions => ({
  defaults: SYSTEM_DEFAULTS,
  lenientDefaults: true,
  selectorOf: () => undefined,
  nodeMatches: createNodeMatches(),
  ...given,
});
const in_ = (zone: string, name: string) => node(name).labels({ zone });
const app = (name: string, on = "") => (on === "" ? pod(name) : pod(name).on(on)).labels({ app: "x" });
const spread = (...constraints: Constraint[]) =>
  app("p").spec({
    topologySpreadConstraints: constraints.map((constraint) => ({
      maxSkew: 1,
      topologyKey: "zone",
      whenUnsatisfiable: "DoNotSchedule" as const,
      labelSelector: { matchLabels: { app: "x" } },
      ...constraint,
    })),
  });
const skewed = "node(s) didn't match pod topology spread constraints";
const missing = `${skewed} (missing required label)`;
const zones = [in_("1", "a"), in_("1", "b"), in_("2", "c")];

test.each<[string, PodBuilder, NodeBuilder[], PodBuilder[], string[]]>([
  ["no constraints", app("p"), zones, [app("q", "a")], ["", "", ""]],
  ["an empty cluster", spread({}), zones, [], ["", "", ""]],
  ["one zone ahead", spread({}), zones, [app("q", "a")], [skewed, skewed, ""]],
  ["a wider skew", spread({ maxSkew: 2 }), zones, [app("q", "a")], ["", "", ""]],
  ["nodes without the label", spread({}), [in_("1", "a"), node("n")], [], ["", missing]],
  ["other pods do not count", spread({}), zones, [pod("q").on("a")], ["", "", ""]],
  ["nor those of other namespaces", spread({}), zones, [app("q", "a").namespace("other")], ["", "", ""]],
  ["nor those on their way out", spread({}), zones, [app("q", "a").deletedAt()], ["", "", ""]],
  [
    "a pod that is none of them is not one more",
    spread({ labelSelector: { matchLabels: { app: "y" } } }),
    zones,
    [pod("q").on("a").labels({ app: "y" })],
    ["", "", ""],
  ],
  [
    "without selector nothing is counted",
    spread({ labelSelector: undefined }),
    zones,
    [app("q", "a"), app("r", "a")],
    ["", "", ""],
  ],
  ["a selector without requirements counts none", spread({ labelSelector: {} }), zones, [app("q", "a")], ["", "", ""]],
  ["too few domains", spread({ minDomains: 3 }), zones, [app("q", "a"), app("r", "c")], [skewed, skewed, skewed]],
  ["enough domains", spread({ minDomains: 2 }), zones, [app("q", "a"), app("r", "c")], ["", "", ""]],
  [
    "zones that the selector excludes are no domains",
    spread({}).nodeSelector({ zone: "1" }),
    zones,
    [app("q", "a")],
    ["", "", ""],
  ],
  [
    "unless the policy says otherwise",
    spread({ nodeAffinityPolicy: "Ignore" }).nodeSelector({ zone: "1" }),
    zones,
    [app("q", "a")],
    [skewed, skewed, ""],
  ],
  [
    "tainted nodes are domains",
    spread({}),
    [in_("1", "a"), in_("2", "b").taint("k", "NoSchedule")],
    [app("q", "a")],
    [skewed, ""],
  ],
  [
    "unless the policy says otherwise",
    spread({ nodeTaintsPolicy: "Honor" }),
    [in_("1", "a"), in_("2", "b").taint("k", "NoSchedule")],
    [app("q", "a")],
    ["", ""],
  ],
  [
    "keys whose values must match, too",
    spread({ matchLabelKeys: ["rev"] }).labels({ rev: "2" }),
    zones,
    [app("q", "a").labels({ rev: "1" })],
    ["", "", ""],
  ],
  [
    "two constraints",
    spread({}, { topologyKey: "orchernetes.io/hostname" }),
    zones,
    [app("q", "a"), app("r", "c")],
    [skewed, "", skewed],
  ],
  ["soft ones do not refuse", spread({ whenUnsatisfiable: "ScheduleAnyway" }), zones, [app("q", "a")], ["", "", ""]],
])("filter: %s", (_, wanting, nodes, placed, want) => {
  expect(verdictsOf(podTopologySpreadFilter(options()), wanting, tableOf(nodes, placed))).toEqual(want);
});

const soft = { whenUnsatisfiable: "ScheduleAnyway" as const };
test.each<[string, PodBuilder, NodeBuilder[], PodBuilder[], number[] | undefined]>([
  ["no constraints", app("p"), zones, [app("q", "a")], undefined],
  ["hard ones do not score", spread({}), zones, [app("q", "a")], undefined],
  ["nothing to spread from", spread(soft), zones, [], [100, 100, 100]],
  ["the fuller zone is worse", spread(soft), zones, [app("q", "a"), app("r", "b")], [0, 0, 100]],
  ["nodes without the label are last", spread(soft), [...zones, node("n")], [], [100, 100, 100, 0]],
])("score: %s", (_, wanting, nodes, placed, want) => {
  expect(scoresOf(podTopologySpreadScore(options()), wanting, tableOf(nodes, placed))).toEqual(want);
});

test("pods without constraints are spread over nodes by default if they belong to a service, and otherwise are not", () => {
  const table = tableOf([node("a"), node("b")], [app("q", "a"), app("r", "a")]);
  const selectorOf = () => selectorFromSet({ app: "x" });
  const scores = scoresOf(podTopologySpreadScore(options({ selectorOf })), app("p"), table);
  expect(scores?.[1]).toBeGreaterThan(scores?.[0] ?? 100);
  expect(scoresOf(podTopologySpreadScore(options()), app("p"), table)).toBeUndefined();
});

test("where the defaults spread over zones, nodes without a zone count as one zone", () => {
  const zone = "topology.orchernetes.io/zone";
  const table = tableOf(
    [node("a").labels({ [zone]: "1" }), node("b").labels({ [zone]: "1" }), node("c")],
    ["q", "r", "s", "t"].map((name) => app(name, "a")),
  );
  const selectorOf = () => selectorFromSet({ app: "x" });
  expect(scoresOf(podTopologySpreadScore(options({ selectorOf })), app("p"), table)).toEqual([11, 44, 100]);
});

test("configured default constraints may reject nodes", () => {
  const defaults = [{ maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule" as const }];
  const plugin = podTopologySpreadFilter(options({ defaults, selectorOf: () => selectorFromSet({ app: "x" }) }));
  expect(verdictsOf(plugin, app("p"), tableOf(zones, [app("q", "a")]))).toEqual([skewed, skewed, ""]);
});
