import type { core } from "@orchernetes/api";
import { BEFORE, type BenchNode, type BenchPod, MEASURED, type Shape } from "./shape.ts";

const HOSTNAME = "orchernetes.io/hostname";
const ZONE = "topology.orchernetes.io/zone";

const resourcesOf = (cpu: string, memory: string): core.ResourceRequirements => ({ requests: { cpu, memory } });

const container = (resources: core.ResourceRequirements): core.Container => ({
  name: "pause",
  image: "registry.o8s.io/pause:3.9",
  resources,
});

const small: core.PodSpec = { containers: [container(resourcesOf("100m", "500Mi"))] };

const nodeIn =
  (zones: readonly string[]) =>
  (n: number): BenchNode => ({
    labels: { [HOSTNAME]: `node-${n}`, [ZONE]: zones[n % zones.length] ?? "" },
    allocatable: { cpu: "4", memory: "32Gi", pods: "110" },
  });

const node = nodeIn(["zone1"]);
const inThreeZones = nodeIn(["zone1", "zone2", "zone3"]);

const basic = (): BenchPod => ({ spec: small });

const inBoth = (color: string, topologyKey: string): core.PodAffinityTerm => ({
  labelSelector: { matchLabels: { color } },
  topologyKey,
  namespaces: [BEFORE, MEASURED],
});

const withAffinity =
  (color: string, affinity: core.Affinity): (() => BenchPod) =>
  () => ({ labels: { color }, spec: { ...small, affinity } });

const required = (term: core.PodAffinityTerm) => ({ requiredDuringSchedulingIgnoredDuringExecution: [term] });

const preferred = (podAffinityTerm: core.PodAffinityTerm) => ({
  preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm }],
});

const near = withAffinity("blue", { podAffinity: required(inBoth("blue", ZONE)) });
const apart = withAffinity("green", { podAntiAffinity: required(inBoth("green", HOSTNAME)) });
const ratherNear = withAffinity("red", { podAffinity: preferred(inBoth("red", HOSTNAME)) });
const ratherApart = withAffinity("yellow", { podAntiAffinity: preferred(inBoth("yellow", HOSTNAME)) });

const inZones = (): BenchPod => ({
  spec: {
    ...small,
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: ZONE, operator: "In", values: ["zone1", "zone2"] }] }],
        },
      },
    },
  },
});

const spread =
  (whenUnsatisfiable: "DoNotSchedule" | "ScheduleAnyway", topologyKey = ZONE, maxSkew = 5) =>
  (): BenchPod => ({
    labels: { color: "blue" },
    spec: {
      ...small,
      topologySpreadConstraints: [
        { maxSkew, topologyKey, whenUnsatisfiable, labelSelector: { matchLabels: { color: "blue" } } },
      ],
    },
  });

const low = (): BenchPod => ({
  labels: { color: "blue" },
  spec: { containers: [container(resourcesOf("900m", "500Mi"))], terminationGracePeriodSeconds: 0 },
});

const high = (): BenchPod => ({
  spec: { priority: 10, containers: [container(resourcesOf("3000m", "500Mi"))], terminationGracePeriodSeconds: 0 },
});

const highSpread = (): BenchPod => ({
  labels: { color: "blue" },
  spec: { ...spread("DoNotSchedule")().spec, ...high().spec },
});

/** Thirty of these fill a node. */
const tiny = (n: number): BenchPod => ({
  labels: { app: `app-${n % 300}` },
  spec: { containers: [container(resourcesOf("130m", "100Mi"))], terminationGracePeriodSeconds: 0 },
});

/** Fits no node. */
const huge = (): BenchPod => ({ spec: { containers: [container(resourcesOf("9", "500Mi"))] } });

/** Names its node as the controller of a daemon set does. */
const daemon = (n: number): BenchPod => ({
  spec: {
    ...small,
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [
            { matchFields: [{ key: "metadata.name", operator: "In", values: [`node-${n % 15_000}`] }] },
          ],
        },
      },
    },
  },
});

/** One of 300 templates, as a cluster of many applications has them. */
const template = (n: number): BenchPod => ({
  labels: { app: `app-${n % 300}` },
  spec: {
    ...small,
    topologySpreadConstraints: [
      {
        maxSkew: 5,
        topologyKey: ZONE,
        whenUnsatisfiable: "DoNotSchedule",
        labelSelector: { matchLabels: { app: `app-${n % 300}` } },
      },
    ],
  },
});

/** Pods with and without each kind of affinity. */
const MIXED = [basic, near, apart, ratherNear, ratherApart];

const five = (id: string, work: string, pod: (n: number) => BenchPod, more: Partial<Shape> = {}): Shape => ({
  id,
  work,
  nodes: 5000,
  node,
  before: [{ count: 1000, pod }],
  measured: { count: 1000, pod },
  ...more,
});

/** All shapes, in the order of the tables. */
export const shapes: readonly Shape[] = [
  five("basic", "pods without constraints", basic),
  five("node-affinity", "pods that need one of two zones", inZones),
  five("pod-affinity", "pods near each other, by zone", near),
  five("pod-anti-affinity", "pods apart from each other, by node", apart),
  five("preferred-affinity", "pods that prefer to be near each other", ratherNear),
  five("preferred-anti-affinity", "pods that prefer to be apart", ratherApart),
  five("spread", "pods spread over three zones", spread("DoNotSchedule"), { node: inThreeZones }),
  five("spread-nodes", "pods spread over nodes", spread("DoNotSchedule", HOSTNAME, 1)),
  five("preferred-spread", "pods that prefer to be spread over zones", spread("ScheduleAnyway"), {
    node: inThreeZones,
  }),
  five("one-template", "spread pods of one template", () => template(0), { node: inThreeZones }),
  five("templates", "spread pods of 300 templates in turn", template, { node: inThreeZones }),
  five("mixed", "pods without constraints among pods with all kinds of affinity", basic, {
    before: MIXED.map((pod) => ({ count: 1000, pod })),
  }),
  five("churn", "pods without constraints while nodes, services and pods come and go", basic, { churn: true }),
  five("unschedulable", "pods without constraints beside 200 that fit nowhere", basic, {
    before: [{ count: 200, pod: huge }],
    unschedulableBefore: true,
    measured: { count: 2000, pod: basic },
  }),
  five("preemption", "pods that need the place of three others each", high, {
    before: [{ count: 20_000, pod: low, evenly: true }],
    measured: { count: 500, pod: high },
  }),
  five("preemption-spread", "… and are spread over zones", highSpread, {
    node: inThreeZones,
    before: [{ count: 20_000, pod: low, evenly: true }],
    measured: { count: 500, pod: highSpread },
  }),
  five("preemption-crowded", "… among 150,000 pods", highSpread, {
    node: inThreeZones,
    before: [{ count: 150_000, pod: tiny, evenly: true }],
    measured: { count: 100, pod: highSpread },
  }),
  five("daemons", "daemon pods on 15,000 nodes", daemon, {
    nodes: 15_000,
    before: [],
    measured: { count: 15_000, pod: daemon },
  }),
];
