import type { core } from "@orchernetes/api";
import { node, pod } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { NominatedPods } from "../cache/nominated-pods.ts";
import { podInfo } from "../cache/pod-info.ts";
import { decide } from "../framework/decide.ts";
import { profileOf } from "../testing/profiles.ts";
import { tableOf } from "../testing/tables.ts";

const range = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const nodes = range(20, (i) =>
  node(`n${i}`)
    .labels({ zone: `z${i % 3}`, "orchernetes.io/hostname": `n${i}` })
    .capacity({ cpu: "8", memory: "8Gi", pods: "110" }),
);
/** Pods that selectors can tell apart. */
const placed = range(100, (i) =>
  pod(`p${i}`)
    .uid(`u${i}`)
    .labels({ app: `a${i}` })
    .on(`n${i % 20}`),
);
const profile = profileOf();
const cycle = () => ({ start: 0, random: () => 0, nominatedNode: "", nominations: new NominatedPods() });

function decisionAbout(spec: Partial<core.PodSpec>, table = tableOf(nodes, placed)): string {
  const decision = decide(podInfo(pod("hostile").labels({ app: "h" }).spec(spec).build()), table, profile, cycle());
  return decision.type === "node" ? "scheduled" : decision.message;
}

const selecting = (i: number) => ({
  matchExpressions: [{ key: "app", operator: "NotIn" as const, values: [`x${i}`] }],
});
const term = (i: number): core.PodAffinityTerm => ({ topologyKey: "none", labelSelector: selecting(i) });
const spread = (i: number, whenUnsatisfiable: "DoNotSchedule" | "ScheduleAnyway") => ({
  ...{ maxSkew: 1, topologyKey: `zone${i}`, whenUnsatisfiable, labelSelector: selecting(i) },
});
const many = 2000;
const long = {
  matchExpressions: [{ key: "app", operator: "NotIn" as const, values: range(10_000, (i) => `v${i}`) }],
};
const nodeTerm = { matchExpressions: [{ key: "zone", operator: "NotIn" as const, values: range(3_000_000, String) }] };
const required = "requiredDuringSchedulingIgnoredDuringExecution";
const preferred = "preferredDuringSchedulingIgnoredDuringExecution";

test.each<[string, Partial<core.PodSpec>, RegExp]>([
  ["terms of affinity", { affinity: { podAffinity: { [required]: range(many, term) } } }, /too many terms of affinity/],
  [
    "terms of anti-affinity",
    { affinity: { podAntiAffinity: { [required]: range(many, term) } } },
    /too many terms of affinity, or too long ones, for this cluster: 2000\./,
  ],
  [
    "values in one term",
    { affinity: { podAffinity: { [required]: [{ topologyKey: "zone", labelSelector: long }] } } },
    /too many terms of affinity/,
  ],
  [
    "namespaces in one term",
    { affinity: { podAffinity: { [required]: [{ ...term(0), namespaces: range(10_000, (i) => `n${i}`) }] } } },
    /too many terms of affinity/,
  ],
  [
    "topology spread constraints",
    { topologySpreadConstraints: range(many, (i) => spread(i, "DoNotSchedule")) },
    /too many topology spread constraints, or too long ones, for this cluster: 2000\./,
  ],
  [
    "values of node affinity",
    { affinity: { nodeAffinity: { [required]: { nodeSelectorTerms: [nodeTerm] } } } },
    /too many terms of node affinity/,
  ],
  [
    "resources",
    { overhead: Object.fromEntries(range(many, (i) => [`example.com/r${i}`, "1"])) },
    /pod requests too many kinds of resources: 2000\./,
  ],
  [
    "preferred terms, which count for nothing then",
    {
      affinity: {
        podAffinity: { [preferred]: range(many, (i) => ({ weight: 1, podAffinityTerm: term(i) })) },
        nodeAffinity: { [preferred]: [{ weight: 1, preference: nodeTerm }] },
      },
      topologySpreadConstraints: range(many, (i) => spread(i, "ScheduleAnyway")),
    },
    /^scheduled$/,
  ],
])("a pod with an enormous number of %s does not block the scheduler", (_, spec, want) => {
  expect(decisionAbout(spec)).toMatch(want);
});

test("the terms of an enormous pod that was bound without the scheduler are not compared with every pod", () => {
  const affinity = { podAntiAffinity: { [required]: range(many, (i) => ({ ...term(i), topologyKey: "zone" })) } };
  const table = tableOf(nodes, [...placed, pod("placed").uid("placed").spec({ affinity }).on("n0")]);
  expect([...table.terms.groups("requiredAntiAffinity")]).toHaveLength(0);
  expect(decisionAbout({}, table)).toBe("scheduled");
});

test("the disks of a pod with very many disks are counted only up to the limit of each node", () => {
  const disk = (i: number) => ({ name: `v${i}`, awsElasticBlockStore: { volumeID: `vol-${i}` } });
  let read = 0;
  // Most of the time was spent on reading the volumes once for each node.
  const counted = (i: number): core.Volume =>
    Object.defineProperty({ ...disk(i) }, "awsElasticBlockStore", {
      enumerable: true,
      get: () => {
        read++;
        return { volumeID: `vol-${i}` };
      },
    });
  const volumes = range(many, counted);
  expect(decisionAbout({ volumes })).toMatch(/20 node\(s\) exceed max volume count/);
  expect(read / many).toBeLessThan(nodes.length * 2);
});

test("a pod with very many tolerations is not compared with each of very many taints", () => {
  let read = 0;
  const tolerations = range(many, (i) =>
    Object.defineProperty({ operator: "Exists" as const }, "key", {
      enumerable: true,
      get: () => {
        read++;
        return `k${i}`;
      },
    }),
  );
  const tainted = node("n");
  for (let i = many - 1; i >= 0; i--) tainted.taint(`k${i}`, "NoSchedule");
  expect(decisionAbout({ tolerations }, tableOf([tainted.capacity({ pods: "1" })]))).toBe("scheduled");
  expect(read).toBeLessThan(many * 50);
});
