import { createMetrics } from "@orchernetes/component";
import { type NodeBuilder, node, type PodBuilder, pod } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { podInfo } from "../cache/pod-info.ts";
import { schedulePod } from "../framework/schedule-pod.ts";
import { profileOf } from "../testing/profiles.ts";
import { tableOf } from "../testing/tables.ts";
import { cycleInstruments, ProfileMeter } from "./profile-meter.ts";

const large = (name: string): NodeBuilder => node(name).capacity({ cpu: "8", memory: "8Gi", pods: "10" });

/** The samples after cycles for pods, each of which measures plugins if `random` is small; each reading of the clock takes a millisecond. */
function samples(nodes: readonly NodeBuilder[], pods: readonly PodBuilder[], random: number): readonly string[] {
  const metrics = createMetrics();
  const profile = profileOf();
  let nowMs = 0;
  const meter = new ProfileMeter(
    cycleInstruments(metrics),
    profile,
    () => nowMs++,
    () => random,
  );
  const table = tableOf([...nodes], []);
  for (const one of pods)
    schedulePod(podInfo(one.build()), table, profile, { start: 0, random: () => 0, meter: meter.begin() });
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
  expect(points(lines)).toEqual(["PreFilter UnschedulableAndUnresolvable 1"]);
  expect(evaluations(lines, "Filter")).toEqual({});
  expect(evaluations(lines, "PreFilter").InterPodAffinity).toBeUndefined();
});
