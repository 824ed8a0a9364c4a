import { node, pod } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { podInfo } from "../cache/pod-info.ts";
import { PLUGINS } from "../config/plugin-points.ts";
import { EXTENSION_POINTS, implementsPoint } from "../framework/extension-point.ts";
import { preEnqueueOf } from "../framework/pre-enqueue.ts";
import { schedulePod } from "../framework/schedule-pod.ts";
import { handleOf, profileConfigOf, profileOf } from "../testing/profiles.ts";
import { tableOf } from "../testing/tables.ts";
import { createInTreePlugins } from "./in-tree-plugins.ts";

test("every plugin implements the extension points of the table, and no others", () => {
  const plugins = createInTreePlugins(profileConfigOf(), handleOf());
  const points = plugins.map((plugin) => [
    plugin.name,
    EXTENSION_POINTS.filter((point) => implementsPoint(plugin, point)),
  ]);
  const table = PLUGINS.map(({ name, points: listed }) => [name, EXTENSION_POINTS.filter((p) => listed.includes(p))]);
  expect(Object.fromEntries(points)).toEqual(Object.fromEntries(table));
});

const set = (...names: string[]) => ({ disabled: names.map((name) => ({ name })) });

test("a plugin set applies to the extension point that it names, and to no other", () => {
  const profile = profileOf({
    plugins: {
      preEnqueue: set("SchedulingGates"),
      preFilter: set("InterPodAffinity"),
      preScore: set("*"),
      reserve: set("VolumeBinding"),
      filter: set("NodePorts"),
    },
  });
  const at = (names: readonly { readonly name: string }[], name: string) => names.some((one) => one.name === name);
  expect(profile.preEnqueues).toEqual([]);
  expect([at(profile.preFilters, "InterPodAffinity"), at(profile.filters, "InterPodAffinity")]).toEqual([false, true]);
  expect([profile.preScores, profile.scores.length]).toEqual([[], 8]);
  expect([at(profile.reserves, "VolumeBinding"), at(profile.preBinds, "VolumeBinding")]).toEqual([false, true]);
  expect([at(profile.preFilters, "NodePorts"), at(profile.filters, "NodePorts")]).toEqual([true, false]);
});

test("scheduling gates keep pods out of the queue, unless the plugin or the feature gate is disabled", () => {
  const gated = podInfo(
    pod("p")
      .spec({ schedulingGates: [{ name: "g" }], schedulerName: "default-scheduler" })
      .build(),
  );
  expect(preEnqueueOf([profileOf()])(gated)).toEqual({ name: "SchedulingGates", events: 0 });
  expect(preEnqueueOf([profileOf({ plugins: { preEnqueue: set("*") } })])(gated)).toBeUndefined();
  const without = profileOf({}, {}, { isEnabled: (name) => name !== "PodSchedulingReadiness" });
  expect(preEnqueueOf([without])(gated)).toBeUndefined();
});

const named = (...names: string[]) => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [
          { matchFields: [{ key: "metadata.name" as const, operator: "In" as const, values: names }] },
        ],
      },
    },
  },
});
const of = (name: string, cpu: string) => node(name).capacity({ cpu, memory: "8Gi", pods: "10" });

test.each<[string, string[], object]>([
  ["is the only one examined", ["b"], { type: "node", slot: 1, evaluated: 1, next: 7 }],
  ["is full, is the only one that counts", ["c"], { message: "0/3 nodes are available: 1 Insufficient cpu." }],
  [
    "is gone, so that all nodes count",
    ["gone"],
    { message: "0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector." },
  ],
  ["is none", [], { message: "0/3 nodes are available: pod affinity terms conflict." }],
])("a node that the pod names by a field and that %s", (_, names, want) => {
  const table = tableOf([of("a", "2"), of("b", "2"), of("c", "1")]);
  const info = podInfo(
    pod("p")
      .requests({ cpu: "2" })
      .spec(named(...names))
      .build(),
  );
  expect(schedulePod(info, table, profileOf(), { start: 7, random: () => 0 })).toMatchObject(want);
});

test("the affinity of a profile is required in addition to that of the pod, and rejects nodes with its own reason", () => {
  const profile = profileOf({
    pluginConfig: [
      {
        name: "NodeAffinity",
        args: {
          addedAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: "pool", operator: "In", values: ["x"] }] }],
            },
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 1, preference: { matchExpressions: [{ key: "fast", operator: "Exists" }] } },
            ],
          },
        },
      },
    ],
  });
  const table = tableOf([
    of("a", "2"),
    of("b", "2").labels({ pool: "x" }),
    of("c", "2").labels({ pool: "x", fast: "" }),
    of("d", "1").labels({ pool: "x" }),
  ]);
  const info = podInfo(pod("p").requests({ cpu: "2" }).build());
  expect(schedulePod(info, table, profile, { start: 0, random: () => 0 })).toMatchObject({ slot: 2, feasible: 2 });
  const large = podInfo(pod("p").requests({ cpu: "9" }).build());
  expect(schedulePod(large, table, profile, { start: 0, random: () => 0 })).toMatchObject({
    message: "0/4 nodes are available: 1 node(s) didn't match scheduler-enforced node affinity, 3 Insufficient cpu.",
  });
});

test("a score outside the range is an error", () => {
  const wrong = { name: "W", score: () => (_: Int32Array, scores: Float64Array) => void scores.fill(101) };
  const profile = { ...profileOf(), scores: [{ plugin: wrong, weight: 1, isForeign: true }] };
  expect(() =>
    schedulePod(podInfo(pod("p").build()), tableOf([of("a", "2"), of("b", "2")]), profile, {
      start: 0,
      random: () => 0,
    }),
  ).toThrow('plugin "W" returns an invalid score 101, it should in the range of [0, 100] after normalizing');
});
