import { createMetrics } from "@orchernetes/component";
import { type NodeBuilder, node, type PodBuilder, pod } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { noNominations } from "../cache/nominated-pods.ts";
import { podInfo } from "../cache/pod-info.ts";
import { decide } from "../framework/decide.ts";
import type { Profile } from "../framework/profile.ts";
import { profileOf } from "../testing/profiles.ts";
import { tableOf } from "../testing/tables.ts";
import { cycleInstruments, ProfileMeter } from "./profile-meter.ts";

const large = (name: string): NodeBuilder => node(name).capacity({ cpu: "8", memory: "8Gi", pods: "10" });

/** The samples after decisions about pods, each of which measures plugins if `random` is small; each reading of the clock takes a millisecond. */
function samples(
  nodes: readonly NodeBuilder[],
  pods: readonly PodBuilder[],
  random: number,
  plugins: Partial<Profile> = {},
  nominatedNode = "",
): readonly string[] {
  const metrics = createMetrics();
  const profile = { ...profileOf(), ...plugins };
  let nowMs = 0;
  const meter = new ProfileMeter(
    cycleInstruments(metrics),
    profile,
    () => nowMs++,
    () => random,
  );
  const table = tableOf([...nodes], []);
  const cycle = { start: 0, random: () => 0, nominations: noNominations, nominatedNode };
  for (const one of pods)
    try {
      decide(podInfo(one.build()), table, profile, { ...cycle, meter: meter.begin() });
    } catch {
      // A plugin fails: that is measured, too.
    }
  return metrics
    .render()
    .split("\n")
    .filter(
      (line) => line !== "" && !line.startsWith("#") && !line.includes("_bucket") && line.startsWith("scheduler_"),
    );
}

const points = (lines: readonly string[]) =>
  lines.flatMap((line) => {
    const [, point, status, count] =
      /^scheduler_framework_extension_point_duration_seconds_count\{extension_point="(\w+)",status="(\w+)",profile="default-scheduler"\} (\d+)$/.exec(
        line,
      ) ?? [];
    return point === undefined ? [] : [`${point} ${status} ${count}`];
  });

const evaluations = (lines: readonly string[], point: string) =>
  Object.fromEntries(
    lines.flatMap((line) => {
      const [, plugin, at, count] =
        /^scheduler_plugin_evaluation_total\{plugin="(\w+)",extension_point="(\w+)",profile="default-scheduler"\} (\d+)$/.exec(
          line,
        ) ?? [];
      return plugin === undefined || at !== point ? [] : [[plugin, Number(count)]];
    }),
  );

test("a cycle that finds a node measures filters and scores", () => {
  const lines = samples([large("a"), large("b")], [pod("p").requests({ cpu: "1" })], 1);
  expect(points(lines)).toEqual(["PreFilter Success 1", "Filter Success 1", "PreScore Success 1", "Score Success 1"]);
  expect(lines.filter((line) => line.includes("plugin_execution"))).toEqual([]);
});

test("calls of filters are counted by node, up to the plugin that rejects it", () => {
  const nodes = [large("a").unschedulable(), large("b"), large("c").capacity({ cpu: "1" })];
  const wanting = pod("p").requests({ cpu: "2" }).nodeSelector({ "orchernetes.io/hostname": "b" });
  const lines = samples(nodes, [wanting, wanting], 1);
  const filtered = evaluations(lines, "Filter");
  expect(filtered).toMatchObject({ NodeUnschedulable: 6, NodeAffinity: 4 });
  expect(filtered.NodeResourcesFit).toBeLessThanOrEqual(filtered.NodeAffinity ?? 0);
  // A plugin that the pod does not concern is prepared, and then skipped.
  expect(filtered.NodePorts).toBeUndefined();
  expect(evaluations(lines, "PreFilter")).toMatchObject({ NodeAffinity: 2, NodePorts: 2, InterPodAffinity: 2 });
});

test("plugins are measured in a tenth of the cycles, each at the extension points at which it runs", () => {
  const lines = samples([large("a"), large("b")], [pod("p").requests({ cpu: "1" })], 0.09);
  const executed = lines.flatMap(
    (line) => /^scheduler_plugin_execution_duration_seconds_count(.*) 1$/.exec(line)?.[1] ?? [],
  );
  expect(executed).toContain('{plugin="NodeResourcesFit",extension_point="PreFilter",status="Success"}');
  expect(executed).toContain('{plugin="NodeResourcesFit",extension_point="Filter",status="Success"}');
  expect(executed).toContain('{plugin="NodeResourcesFit",extension_point="Score",status="Success"}');
  expect(executed).toContain('{plugin="NodePorts",extension_point="PreFilter",status="Skip"}');
});

test("nodes are not filtered for a pod that a plugin rejects as a whole", () => {
  const claims = pod("p").spec({ volumes: [{ name: "v", persistentVolumeClaim: { claimName: "absent" } }] });
  const lines = samples([large("a")], [claims], 1);
  expect(points(lines)).toEqual(["PreFilter UnschedulableAndUnresolvable 1", "PostFilter Unschedulable 1"]);
  expect(evaluations(lines, "Filter")).toEqual({});
  expect(evaluations(lines, "PreFilter").InterPodAffinity).toBeUndefined();
});

const fails = (): never => {
  throw new Error("oops");
};
const mine = { name: "Mine" };
const nodesOf = (name: string) => ({ ...mine, preFilter: () => ({ nodeNames: new Set([name]) }) });
const nothing = { ...mine, postFilter: () => ({ type: "none" as const, message: "no", keepNomination: true }) };

test.each<[string, Partial<Profile>, string, readonly string[]]>([
  ["a nominated node that passes", {}, "a", ["PreFilter Success 1", "Filter Success 1"]],
  [
    "a nominated node that does not pass, and then all",
    {},
    "small",
    ["PreFilter Success 1", "Filter Success 2", "PreScore Success 1", "Score Success 1"],
  ],
  [
    "plugins that agree on no node",
    { preFilters: [nodesOf("a"), nodesOf("b")], postFilters: [nothing, nothing] },
    "",
    ["PreFilter Unschedulable 1", "PostFilter Unschedulable 1"],
  ],
  [
    "no post-filters",
    { preFilters: [{ ...mine, preFilter: () => ({ rejected: "no" }) }], postFilters: [] },
    "",
    ["PreFilter UnschedulableAndUnresolvable 1"],
  ],
  ["a failure of PreFilter", { preFilters: [{ ...mine, preFilter: fails }] }, "", ["PreFilter Error 1"]],
  [
    "a failure of Filter",
    { filters: [{ ...mine, filter: () => ({ check: fails, reasons: [] }) }] },
    "",
    ["PreFilter Success 1", "Filter Error 1"],
  ],
  [
    "a failure of PreScore",
    { preScores: [{ ...mine, preScore: fails }] },
    "",
    ["PreFilter Success 1", "Filter Success 1", "PreScore Error 1"],
  ],
  [
    "a failure of Score",
    { preScores: [], scores: [{ plugin: { ...mine, score: fails }, weight: 1 }] },
    "",
    ["PreFilter Success 1", "Filter Success 1", "PreScore Success 1", "Score Error 1"],
  ],
  [
    "a failure of PostFilter",
    { preFilters: [nodesOf("a"), nodesOf("b")], postFilters: [{ ...mine, postFilter: fails }] },
    "",
    ["PreFilter Unschedulable 1", "PostFilter Error 1"],
  ],
])("points are measured with their result: %s", (_, plugins, nominatedNode, want) => {
  const nodes = [large("a"), large("b"), large("small").capacity({ cpu: "500m", memory: "8Gi", pods: "10" })];
  expect(points(samples(nodes, [pod("p").requests({ cpu: "1" })], 1, plugins, nominatedNode))).toEqual(want);
});
