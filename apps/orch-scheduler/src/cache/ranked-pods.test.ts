import { type PodBuilder, pod } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { type PodInfo, podInfo } from "./pod-info.ts";
import { RankedPods } from "./ranked-pods.ts";

const named = (name: string, priority = 0, startTime?: string) =>
  podInfo(
    pod(name)
      .priority(priority)
      .status(startTime === undefined ? {} : { startTime })
      .build(),
  );

test("pods are ordered by priority and then by start time; those that have not started come last", () => {
  const pods = [
    named("new", 1),
    named("young", 1, "2024-01-02T00:00:00Z"),
    named("low"),
    named("old", 1, "2024-01-01T00:00:00Z"),
    named("high", 5),
  ];
  const ranked = new RankedPods(pods);
  expect(ranked.pods.map((info) => info.pod.metadata.name)).toEqual(["high", "old", "young", "new", "low"]);
  expect(ranked.priorities).toEqual([5, 1, 1, 1, 0]);
  expect([6, 5, 1, 0].map((priority) => ranked.firstBelow(priority))).toEqual([0, 1, 4, 5]);
});

/** A pod that shares its labels and spec with others of its template, as those of the cache do. */
function copies(template: PodBuilder, count: number): readonly PodInfo[] {
  const built = template.build();
  return Array.from({ length: count }, (_, i) =>
    podInfo({ ...built, metadata: { ...built.metadata, name: `${built.metadata.name}-${i}` } }),
  );
}

const web = pod("web").labels({ app: "web" }).requests({ cpu: "1" });
const apart = { labelSelector: { matchLabels: { app: "web" } }, topologyKey: "zone" };

test.each<[string, readonly PodInfo[], readonly number[]]>([
  ["of one template", copies(web, 3), [0, 0, 0]],
  ["of templates with other labels", [...copies(web, 2), ...copies(web.labels({ app: "db" }), 2)], [0, 0, 1, 1]],
  ["of templates with other requests", [...copies(web, 1), ...copies(web.requests({ cpu: "2" }), 2)], [0, 1, 1]],
  [
    "with affinity",
    copies(web.affinity({ podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [apart] } }), 2),
    [0, 1],
  ],
])("pods %s are alike or not", (_, pods, want) => {
  const ranked = new RankedPods(pods);
  expect(ranked.kinds).toEqual(want);
  expect(ranked.examples).toHaveLength(new Set(want).size);
});
