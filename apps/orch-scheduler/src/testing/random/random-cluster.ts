import type { apps, core, policy } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import { node } from "@orchernetes/testkit";
import { SNAPSHOT_VERSION, type Snapshot } from "../../snapshot/snapshot.ts";
import { Choices } from "./choices.ts";
import { randomConfiguration } from "./random-configuration.ts";
import { randomFreeClaims, randomFreeVolumes } from "./random-free-volumes.ts";
import { type Features, HOSTNAME, NAMESPACES, randomPod, ZONE } from "./random-pod.ts";
import {
  randomCapacities,
  randomClaims,
  randomClasses,
  randomCsiNode,
  randomDrivers,
  randomPersistentVolumes,
} from "./random-volumes.ts";

const SIZES: Readonly<Record<string, number>> = {
  "registry/a:1": 500_000_000,
  "registry/b:latest": 90_000_003,
  "localhost:5000/c:latest": 1_700_000_001,
  "d@sha256:0123": 30_000_007,
};

function randomNode(c: Choices, name: string, features: Features): Stored<core.Node> {
  let builder = node(name)
    .allocatable({
      cpu: c.pick("1", "2", "3500m", "4"),
      memory: c.pick("1Gi", "4Gi", "8Gi", "5G"),
      pods: c.pick("2", "5", "110"),
      ...c.maybe(0.3, () => ({ "ephemeral-storage": "3Gi" })),
      ...c.maybe(0.3, () => ({ "example.com/gpu": c.pick("0", "2") })),
      ...c.maybe(0.2, () => ({ "attachable-volumes-aws-ebs": c.pick("1", "2") })),
      ...c.maybe(0.2, () => ({ "attachable-volumes-csi-csi.example.com": c.pick("1", "2") })),
    })
    .labels({
      ...c.maybe(0.8, () => ({ [ZONE]: c.pick("z1", "z2", "z3") })),
      ...c.maybe(0.2, () => ({ "failure-domain.beta.orchernetes.io/zone": c.pick("z1", "z2") })),
      ...c.maybe(0.5, () => ({ rack: c.pick("r1", "r2") })),
      ...c.maybe(0.5, () => ({ disk: c.pick("ssd", "hdd") })),
      ...c.maybe(0.5, () => ({ size: c.pick("1", "5", "x") })),
    });
  if (features.taints && c.chance(0.15)) builder = builder.unschedulable();
  if (features.taints)
    for (const key of c.some(["k1", "k2", "k3"], 0.35))
      builder = builder.taint(key, c.pick("NoSchedule", "NoExecute", "PreferNoSchedule"), c.pick("v", ""));
  if (features.images) {
    const images = c.some(Object.keys(SIZES)).map((image) => ({ names: [image], sizeBytes: String(SIZES[image]) }));
    builder = builder.status({ images } as unknown as Partial<core.NodeStatus>);
  }
  const built = builder.build();
  if (!c.chance(0.05)) return built;
  const { [HOSTNAME]: _, ...labels } = built.metadata.labels ?? {};
  return { ...built, metadata: { ...built.metadata, labels } };
}

const meta = (name: string, namespace?: string, labels?: Record<string, string>) => ({
  name,
  uid: name,
  resourceVersion: "1",
  creationTimestamp: "2024-01-01T00:00:00Z",
  ...(namespace !== undefined && { namespace }),
  ...(labels !== undefined && { labels }),
});

/** What selects pods, for default spread constraints. */
function workloads(c: Choices) {
  const services = c.some(NAMESPACES, 0.4).map((namespace) => ({
    metadata: meta("s", namespace),
    spec: c.pick({ selector: { app: "a" } }, { selector: { app: "b" } }, {}),
  })) as unknown as Stored<core.Service>[];
  const of = (name: string, selector: object) =>
    c.some(NAMESPACES, 0.4).map((namespace) => ({ metadata: meta(name, namespace), spec: { selector } }));
  return {
    services,
    replicationControllers: of("rc", { app: "a" }) as unknown as Stored<core.ReplicationController>[],
    replicaSets: of("rs", { matchLabels: { app: c.pick("a", "b") } }) as unknown as Stored<apps.ReplicaSet>[],
    statefulSets: of("ss", {
      matchExpressions: [{ key: "app", operator: "Exists" }],
    }) as unknown as Stored<apps.StatefulSet>[],
  };
}

/** The pods with times at which they started, all different: which of two equals is evicted is undefined. */
function started(c: Choices, placed: Snapshot["placed"]): Snapshot["placed"] {
  // A prime number of minutes, more than there are pods.
  const [minutes, step] = [11, 1 + c.below(10)];
  const without = c.below(20);
  return placed.map(({ node: name, pod }, i) => {
    if (i === without) return { node: name, pod };
    const minute = String((i * step) % minutes).padStart(2, "0");
    return { node: name, pod: { ...pod, status: { ...pod.status, startTime: `2024-01-01T00:${minute}:00Z` } } };
  });
}

/** Those of the pods that are being deleted say why, or not. */
const disrupted = (c: Choices, placed: Snapshot["placed"]): Snapshot["placed"] =>
  placed.map(({ node: name, pod }) => {
    if (pod.metadata.deletionTimestamp === undefined) return { node: name, pod };
    const target = (status: "True" | "False", reason: string) => [
      { type: "DisruptionTarget", status, reason } as const,
    ];
    const conditions = c.pick<readonly core.PodCondition[]>(
      [],
      [{ type: "Ready", status: "True", reason: "PreemptionByScheduler" }],
      target("True", "PreemptionByScheduler"),
      target("False", "PreemptionByScheduler"),
      target("True", "EvictionByEvictionAPI"),
    );
    return { node: name, pod: { ...pod, status: { ...pod.status, conditions: [...conditions] } } };
  });

/** With further pods of the templates beside some of the pods: they share their labels and specs, and started later. */
const withCopies = (c: Choices, placed: Snapshot["placed"]): Snapshot["placed"] => [
  ...placed,
  ...placed.flatMap(({ node: name, pod }, i) =>
    c.many(0, 3, (copy) => {
      const startTime = `2024-01-02T0${copy}:${String(i).padStart(2, "0")}:00Z`;
      const metadata = { ...pod.metadata, name: `copy-${i}-${copy}`, uid: `copy-${i}-${copy}` };
      return { node: name, pod: { ...pod, metadata, status: { ...pod.status, startTime } } };
    }),
  ),
];

/** The pending pod: not being deleted, perhaps with a nominated node, or without the right to preempt. */
function preempting(c: Choices, pod: Stored<core.Pod>, on: () => string): Stored<core.Pod> {
  const { deletionTimestamp: _, deletionGracePeriodSeconds: __, ...metadata } = pod.metadata;
  return {
    ...pod,
    metadata,
    spec: { ...pod.spec, ...c.maybe(0.05, () => ({ preemptionPolicy: "Never" as const })) },
    status: { ...pod.status, ...c.maybe(0.2, () => ({ nominatedNodeName: on() })) },
  };
}

const randomStorage = (c: Choices, isFree: boolean): Pick<Snapshot, "claims" | "volumes"> =>
  isFree
    ? { claims: randomFreeClaims(c), volumes: randomFreeVolumes(c) }
    : { claims: randomClaims(c), volumes: randomPersistentVolumes(c) };

const randomBudget = (c: Choices, name: string): Stored<policy.PodDisruptionBudget> =>
  ({
    metadata: meta(name, c.pick(...NAMESPACES)),
    spec: {
      ...c.maybe(0.95, () => ({
        selector: c.pick<object>(
          { matchLabels: { app: "a" } },
          { matchLabels: { app: "b" } },
          { matchExpressions: [{ key: "tier", operator: "Exists" }] },
          { matchExpressions: [{ key: "app", operator: "DoesNotExist" }] },
          {},
        ),
      })),
    },
    status: {
      disruptionsAllowed: c.below(3),
      currentHealthy: 3,
      desiredHealthy: 2,
      expectedPods: 3,
      ...c.maybe(0.3, () => ({ disruptedPods: { [`placed-${c.below(5)}`]: "2024-01-01T00:00:00Z" } })),
    },
  }) as unknown as Stored<policy.PodDisruptionBudget>;

/**
 * A small cluster with one pending pod, as a snapshot. The seed determines it. Sizes of an image are equal on all nodes:
 * where they differ, the original takes that of the node which reported the image first.
 */
export function randomCluster(seed: number): Snapshot {
  const c = new Choices(seed);
  const configuration = randomConfiguration(c);
  const scoresVolumes = configuration.featureGates.VolumeCapacityPriority === true;
  const features: Features = {
    taints: c.chance(0.4),
    nodeAffinity: c.chance(0.4),
    podAffinity: c.chance(0.4),
    spread: c.chance(0.4),
    ports: c.chance(0.2),
    volumes: c.chance(scoresVolumes ? 0.9 : 0.3),
    disks: c.chance(0.2),
    images: c.chance(0.3),
  };
  const nodes = c.many(1, 6, (i) => randomNode(c, `node-${i}`, features));
  const on = (): string => c.pick(...nodes).metadata.name;
  const placed = c.many(0, 10, (i) => {
    const name = on();
    const pod = randomPod(c, `placed-${i}`, features);
    return { node: name, pod: { ...pod, spec: { ...pod.spec, nodeName: name } } };
  });
  const nominated = c.chance(0.3)
    ? c.many(1, 2, (i) => ({ node: on(), pod: randomPod(c, `nominated-${i}`, features) }))
    : [];
  const pending = randomPod(c, "pending", features);
  const isStored = features.volumes || features.disks;
  const cluster: Snapshot = {
    kind: "SchedulerSnapshot",
    version: SNAPSHOT_VERSION,
    time: "2024-01-01T00:00:00Z",
    configuration,
    extenders: [],
    attempts: [],
    start: c.below(nodes.length),
    seed: c.below(2 ** 32),
    nodes,
    freeSlots: [],
    placed: disrupted(c, started(c, placed)),
    assumed: [],
    nominated,
    pending: [preempting(c, pending, on)],
    queue: [],
    namespaces: [
      { metadata: meta("n1", undefined, { team: "x" }), spec: {}, status: {} },
      { metadata: meta("n2", undefined, c.pick({}, { team: "x" })), spec: {}, status: {} },
    ],
    ...workloads(c),
    ...(isStored ? randomStorage(c, scoresVolumes) : { claims: [], volumes: [] }),
    classes: isStored ? randomClasses(c) : [],
    csiNodes: isStored ? nodes.filter(() => c.chance(0.7)).map(({ metadata }) => randomCsiNode(c, metadata.name)) : [],
    csiDrivers: isStored ? randomDrivers(c) : [],
    capacities: isStored ? randomCapacities(c) : [],
    budgets: c.chance(0.5) ? c.many(1, 3, (i) => randomBudget(c, `b${i}`)) : [],
  };
  return c.chance(0.3) ? { ...cluster, placed: withCopies(c, cluster.placed) } : cluster;
}
