import type { core } from "@orchernetes/api";
import { type NodeBuilder, node, type PodBuilder, pod } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { scoresOf, tableOf, verdictsOf } from "../../testing/tables.ts";
import { interPodAffinityFilter } from "./inter-pod-affinity-filter.ts";
import { interPodAffinityScore } from "./inter-pod-affinity-score.ts";
import type { Namespaces } from "./term-matching.ts";

const labelsOf: Record<string, Record<string, string>> = { default: {}, other: { team: "t" } };
const namespaces: Namespaces = {
  labels: (name) => labelsOf[name],
  matching: (selector) => Object.keys(labelsOf).filter((name) => selector.matches(labelsOf[name])),
};
const term = (app: string, more: Partial<core.PodAffinityTerm> = {}): core.PodAffinityTerm => ({
  topologyKey: "zone",
  labelSelector: { matchLabels: { app } },
  ...more,
});
const wants = (builder: PodBuilder, ...terms: core.PodAffinityTerm[]) =>
  builder.affinity({ podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } });
const shuns = (builder: PodBuilder, ...terms: core.PodAffinityTerm[]) =>
  builder.affinity({ podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } });
const app = (name: string, label: string, on = "") => (on === "" ? pod(name) : pod(name).on(on)).labels({ app: label });
const zones = [
  node("a").labels({ zone: "1" }),
  node("b").labels({ zone: "1" }),
  node("c").labels({ zone: "2" }),
  node("d"),
];

const alone = "node(s) didn't match pod affinity rules";
const near = "node(s) didn't match pod anti-affinity rules";
const unwelcome = "node(s) didn't satisfy existing pods anti-affinity rules";

test.each<[string, PodBuilder, PodBuilder[], string[]]>([
  ["no rules", app("p", "x"), [app("q", "x", "a")], ["", "", "", ""]],
  ["company in the zone", wants(app("p", "x"), term("y")), [app("q", "y", "a")], ["", "", alone, alone]],
  ["no such company", wants(app("p", "x"), term("y")), [], [alone, alone, alone, alone]],
  [
    "the first of its kind where the label is, though one is where it is not",
    wants(app("p", "x"), term("x")),
    [app("q", "x", "d")],
    ["", "", "", alone],
  ],
  ["the first of its kind, where the label is", wants(app("p", "x"), term("x")), [], ["", "", "", alone]],
  ["the second of its kind", wants(app("p", "x"), term("x")), [app("q", "x", "c")], [alone, alone, "", alone]],
  [
    "all terms must be met by one pod",
    wants(app("p", "x"), term("y"), term("z", { topologyKey: "orchernetes.io/hostname" })),
    [app("q", "y", "a"), app("r", "z", "a")],
    [alone, alone, alone, alone],
  ],
  [
    "another namespace is not meant",
    wants(app("p", "x"), term("y")),
    [app("q", "y", "a").namespace("other")],
    [alone, alone, alone, alone],
  ],
  [
    "unless named",
    wants(app("p", "x"), term("y", { namespaces: ["other"] })),
    [app("q", "y", "a").namespace("other")],
    ["", "", alone, alone],
  ],
  [
    "or selected",
    wants(app("p", "x"), term("y", { namespaceSelector: { matchLabels: { team: "t" } } })),
    [app("q", "y", "a").namespace("other")],
    ["", "", alone, alone],
  ],
  [
    "an empty selector means all namespaces",
    wants(app("p", "x"), term("y", { namespaceSelector: {} })),
    [app("q", "y", "a").namespace("other")],
    ["", "", alone, alone],
  ],
  [
    "also those that are not known yet",
    wants(app("p", "x"), term("y", { namespaceSelector: {} })),
    [app("q", "y", "a").namespace("new")],
    ["", "", alone, alone],
  ],
  ["company to be avoided", shuns(app("p", "x"), term("y")), [app("q", "y", "a")], [near, near, "", ""]],
  [
    "any of the terms",
    shuns(app("p", "x"), term("y"), term("z")),
    [app("q", "y", "a"), app("r", "z", "c")],
    [near, near, near, ""],
  ],
  [
    "a pod there that keeps others away",
    app("p", "x"),
    [shuns(app("q", "y", "a"), term("x"))],
    [unwelcome, unwelcome, "", ""],
  ],
  [
    "but not from another namespace",
    app("p", "x").namespace("other"),
    [shuns(app("q", "y", "a"), term("x"))],
    ["", "", "", ""],
  ],
  [
    "unless its selector says so",
    app("p", "x").namespace("other"),
    [shuns(app("q", "y", "a"), term("x", { namespaceSelector: { matchLabels: { team: "t" } } }))],
    [unwelcome, unwelcome, "", ""],
  ],
])("filter: %s", (_, wanting, placed, want) => {
  expect(verdictsOf(interPodAffinityFilter(namespaces), wanting, tableOf(zones, placed))).toEqual(want);
});

test("the result of the filter changes when pods are added or removed", () => {
  const plugin = interPodAffinityFilter(namespaces);
  const table = tableOf(zones, [shuns(app("q", "y", "a"), term("x"))]);
  expect(verdictsOf(plugin, app("p", "x"), table)).toEqual([unwelcome, unwelcome, "", ""]);
  table.removePod("a", "default/q");
  expect(verdictsOf(plugin, app("p", "x"), table)).toEqual(["", "", "", ""]);
});

const likes = (builder: PodBuilder, weight: number, podAffinityTerm: core.PodAffinityTerm, kind = "podAffinity") =>
  builder.affinity({ [kind]: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight, podAffinityTerm }] } });
const weights = { hardPodAffinityWeight: 1, ignorePreferredTermsOfExistingPods: false };
test.each<[string, PodBuilder, PodBuilder[], typeof weights, number[] | undefined]>([
  ["no preference", app("p", "x"), [app("q", "x", "a")], weights, undefined],
  ["company liked", likes(app("p", "x"), 10, term("y")), [app("q", "y", "a")], weights, [100, 100, 0, 0]],
  [
    "the more the better",
    likes(app("p", "x"), 10, term("y")),
    [app("q", "y", "a"), app("r", "y", "b"), app("s", "y", "c")],
    weights,
    [100, 100, 50, 0],
  ],
  [
    "company disliked",
    likes(app("p", "x"), 10, term("y"), "podAntiAffinity"),
    [app("q", "y", "a")],
    weights,
    [0, 0, 100, 100],
  ],
  ["liked by a pod there", app("p", "x"), [likes(app("q", "y", "a"), 10, term("x"))], weights, [100, 100, 0, 0]],
  [
    "disliked by a pod there",
    app("p", "x"),
    [likes(app("q", "y", "a"), 10, term("x"), "podAntiAffinity")],
    weights,
    [0, 0, 100, 100],
  ],
  ["needed by a pod there", app("p", "x"), [wants(app("q", "y", "a"), term("x"))], weights, [100, 100, 0, 0]],
  [
    "needed, but it is not to count",
    app("p", "x"),
    [wants(app("q", "y", "a"), term("x"))],
    { ...weights, hardPodAffinityWeight: 0 },
    undefined,
  ],
  [
    "liked, but it is not to count",
    app("p", "x"),
    [likes(app("q", "y", "a"), 10, term("x"))],
    { ...weights, ignorePreferredTermsOfExistingPods: true },
    undefined,
  ],
  [
    "needed, but no pod there is to count for one without preferences",
    app("p", "x"),
    [wants(app("q", "y", "a"), term("x"))],
    { ...weights, ignorePreferredTermsOfExistingPods: true },
    undefined,
  ],
  [
    "liked, and counted since the pod has preferences itself",
    likes(app("p", "x"), 10, term("z")),
    [likes(app("q", "y", "a"), 10, term("x"))],
    { ...weights, ignorePreferredTermsOfExistingPods: true },
    [100, 100, 0, 0],
  ],
  [
    "the pods of a namespace that is named twice count once",
    likes(app("p", "x"), 10, { ...term("y"), namespaces: ["default", "default"] }),
    [app("q", "y", "a"), likes(app("r", "z", "c"), 15, term("x"))],
    weights,
    [66, 66, 100, 0],
  ],
])("score: %s", (_, wanting, placed, given, want) => {
  expect(scoresOf(interPodAffinityScore(namespaces, given), wanting, tableOf(zones, placed))).toEqual(want);
});

test.each<[NodeBuilder[]]>([[[]]])("no nodes, no harm", (nodes) => {
  expect(
    scoresOf(interPodAffinityScore(namespaces, weights), likes(app("p", "x"), 1, term("y")), tableOf(nodes)),
  ).toBeUndefined();
});
