import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import { pod } from "@orchernetes/testkit";
import type { Choices } from "./choices.ts";

/** Which features the pods of a cluster have. Few at a time, so that many decisions find a node. */
export interface Features {
  readonly taints: boolean;
  readonly nodeAffinity: boolean;
  readonly podAffinity: boolean;
  readonly spread: boolean;
  readonly ports: boolean;
  readonly volumes: boolean;
  readonly disks: boolean;
  readonly images: boolean;
}

export const HOSTNAME = "orchernetes.io/hostname";
export const ZONE = "topology.orchernetes.io/zone";
const TOPOLOGY_KEYS = [HOSTNAME, ZONE, "rack"] as const;
const IMAGES = ["registry/a:1", "registry/b", "localhost:5000/c", "d@sha256:0123"] as const;
export const NAMESPACES = ["n1", "n2"] as const;

const expression = (c: Choices): core.NodeSelectorRequirement =>
  c.pick<() => core.NodeSelectorRequirement>(
    () => ({ key: ZONE, operator: c.pick("In", "NotIn"), values: c.some(["z1", "z2", "z3"]).concat("z1") }),
    () => ({ key: "disk", operator: c.pick("Exists", "DoesNotExist") }),
    () => ({ key: "disk", operator: "In", values: ["ssd"] }),
    () => ({ key: "size", operator: c.pick("Gt", "Lt"), values: [c.pick("1", "3", "9")] }),
  )();

/** A term of a node selector. */
export const nodeTerm = (c: Choices): core.NodeSelectorTerm => ({
  ...c.maybe(0.9, () => ({ matchExpressions: c.many(0, 2, () => expression(c)) })),
  ...c.maybe(0.15, () => ({
    matchFields: [{ key: "metadata.name", operator: c.pick("In", "NotIn"), values: [`node-${c.below(4)}`] }],
  })),
});

function nodeAffinity(c: Choices): core.NodeAffinity {
  return {
    ...c.maybe(0.6, () => ({
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: c.many(1, 3, () => nodeTerm(c)) },
    })),
    ...c.maybe(0.6, () => ({
      preferredDuringSchedulingIgnoredDuringExecution: c.many(1, 3, () => ({
        weight: 1 + c.below(100),
        preference: nodeTerm(c),
      })),
    })),
  };
}

/** A label selector of pods; sometimes one that selects all of them, or none. */
function selector(c: Choices): { labelSelector?: NonNullable<core.PodAffinityTerm["labelSelector"]> } {
  return c.pick<() => ReturnType<typeof selector>>(
    () => ({ labelSelector: { matchLabels: { app: c.pick("a", "b") } } }),
    () => ({ labelSelector: { matchLabels: { app: c.pick("a", "b") } } }),
    () => ({ labelSelector: { matchExpressions: [{ key: "app", operator: "NotIn", values: ["b"] }] } }),
    () => ({
      labelSelector: { matchExpressions: [{ key: "tier", operator: "In", values: c.some(["x", "y"]).concat("x") }] },
    }),
    () => ({ labelSelector: { matchExpressions: [{ key: "tier", operator: c.pick("Exists", "DoesNotExist") }] } }),
    () => ({ labelSelector: {} }),
    () => ({}),
  )();
}

const affinityTerm = (c: Choices): core.PodAffinityTerm => ({
  topologyKey: c.pick(...TOPOLOGY_KEYS),
  ...selector(c),
  ...c.maybe(0.2, () => ({ namespaces: c.some(NAMESPACES).concat("n1") })),
  ...c.maybe(0.2, () => ({ namespaceSelector: c.pick({}, { matchLabels: { team: "x" } }) })),
});

function terms(c: Choices): core.PodAffinity & core.PodAntiAffinity {
  return {
    ...c.maybe(0.5, () => ({
      requiredDuringSchedulingIgnoredDuringExecution: c.many(1, 2, () => affinityTerm(c)),
    })),
    ...c.maybe(0.4, () => ({
      preferredDuringSchedulingIgnoredDuringExecution: c.many(1, 2, () => ({
        weight: 1 + c.below(100),
        podAffinityTerm: affinityTerm(c),
      })),
    })),
  };
}

/** Constraints as the API server accepts them: a key once for each action, minDomains only for hard ones. */
function spreadConstraints(c: Choices): core.TopologySpreadConstraint[] {
  return c.some(["DoNotSchedule", "ScheduleAnyway"], 0.6).flatMap((whenUnsatisfiable) =>
    c.some(TOPOLOGY_KEYS, 0.4).map((topologyKey) => ({
      maxSkew: 1 + c.below(3),
      topologyKey,
      whenUnsatisfiable,
      ...selector(c),
      ...c.maybe(whenUnsatisfiable === "DoNotSchedule" ? 0.3 : 0, () => ({ minDomains: 1 + c.below(4) })),
      ...c.maybe(0.2, () => ({ matchLabelKeys: ["app"] })),
      ...c.maybe(0.3, () => ({ nodeAffinityPolicy: c.pick("Honor", "Ignore") })),
      ...c.maybe(0.3, () => ({ nodeTaintsPolicy: c.pick("Honor", "Ignore") })),
    })),
  );
}

const toleration = (c: Choices): core.Toleration =>
  c.pick<core.Toleration>(
    { key: "k1", operator: "Equal", value: "v", effect: "NoSchedule" },
    { key: "k2", operator: "Exists" },
    { operator: "Exists", effect: "PreferNoSchedule" },
    { key: "node.orchernetes.io/unschedulable", operator: "Exists", effect: "NoSchedule" },
    { operator: "Exists" },
  );

function volumes(c: Choices, features: Features): core.Volume[] {
  const claims = features.volumes
    ? c.many(0, 2, (i) => ({ name: `v${i}`, persistentVolumeClaim: { claimName: `c${c.below(9)}` } }))
    : [];
  const ephemeral = features.volumes && c.chance(0.05) ? [{ name: "e", ephemeral: {} }] : [];
  const disks = features.disks
    ? c.many(0, 2, (i): core.Volume => {
        const name = `d${i}`;
        const id = `disk${c.below(4)}`;
        const readOnly = c.chance(0.5);
        return c.pick<core.Volume>(
          { name, awsElasticBlockStore: { volumeID: id } },
          { name, gcePersistentDisk: { pdName: id, readOnly } },
          { name, azureDisk: { diskName: id, diskURI: id } },
          { name, iscsi: { iqn: id, targetPortal: "t", lun: 0, readOnly } },
          { name, rbd: { image: id, pool: c.pick("p", "q"), monitors: c.some(["m1", "m2"]), readOnly } },
        );
      })
    : [];
  return [...claims, ...ephemeral, ...disks];
}

function container(c: Choices, features: Features, name: string): core.Container {
  return {
    name,
    image: c.pick(...IMAGES),
    resources: c.chance(0.8)
      ? {
          requests: {
            ...c.maybe(0.8, () => ({ cpu: c.pick("0", "100m", "500m", "1", "1500m") })),
            ...c.maybe(0.7, () => ({ memory: c.pick("0", "64Mi", "1Gi", "1500M") })),
            ...c.maybe(0.1, () => ({ "ephemeral-storage": "1Gi" })),
            ...c.maybe(0.1, () => ({ "example.com/gpu": c.pick("1", "2") })),
          },
        }
      : {},
    ...c.maybe(features.ports ? 0.6 : 0, () => ({
      ports: c.many(1, 2, () => ({
        containerPort: 1,
        hostPort: c.pick(80, 81),
        ...c.maybe(0.5, () => ({ protocol: c.pick("TCP", "UDP") })),
        ...c.maybe(0.4, () => ({ hostIP: c.pick("0.0.0.0", "10.0.0.1", "10.0.0.2") })),
      })),
    })),
  };
}

function affinityOf(c: Choices, features: Features): { affinity?: core.Affinity } {
  const affinity: core.Affinity = {
    ...c.maybe(features.nodeAffinity ? 0.5 : 0, () => ({ nodeAffinity: nodeAffinity(c) })),
    ...c.maybe(features.podAffinity ? 0.5 : 0, () => ({ podAffinity: terms(c) })),
    ...c.maybe(features.podAffinity ? 0.5 : 0, () => ({ podAntiAffinity: terms(c) })),
  };
  return Object.keys(affinity).length === 0 ? {} : { affinity };
}

/** A pod that the API server would accept. */
export function randomPod(c: Choices, name: string, features: Features): Stored<core.Pod> {
  const used = volumes(c, features);
  let builder = pod(name)
    // The scheduler does not know the third namespace, as if the pod had been seen before it.
    .namespace(c.pick("n1", "n1", "n1", "n1", "n2", "n2", "n3"))
    .labels({ ...c.maybe(0.8, () => ({ app: c.pick("a", "b") })), ...c.maybe(0.4, () => ({ tier: c.pick("x", "y") })) })
    .priority(c.below(4))
    .spec({
      schedulerName: "default-scheduler",
      containers: c.many(1, 2, (i) => container(c, features, `c${i}`)),
      ...c.maybe(0.2, () => ({ initContainers: [container(c, features, "i")] })),
      ...c.maybe(0.1, () => ({ overhead: { cpu: "100m", memory: "10Mi" } })),
      ...c.maybe(features.taints ? 0.6 : 0, () => ({ tolerations: c.many(1, 3, () => toleration(c)) })),
      ...c.maybe(features.nodeAffinity ? 0.3 : 0, () => ({ nodeSelector: { disk: c.pick("ssd", "hdd") } })),
      ...c.maybe(features.spread ? 0.7 : 0, () => ({ topologySpreadConstraints: spreadConstraints(c) })),
      ...affinityOf(c, features),
      ...(used.length > 0 && { volumes: used }),
    });
  if (c.chance(0.1)) builder = builder.deletedAt();
  const built = builder.build();
  if (!c.chance(0.5)) return built;
  const [kind, owner] = c.pick(["ReplicaSet", "rs"], ["StatefulSet", "ss"], ["ReplicationController", "rc"]);
  const reference = { apiVersion: kind === "ReplicationController" ? "v1" : "apps/v1", kind, name: owner, uid: owner };
  return { ...built, metadata: { ...built.metadata, ownerReferences: [{ ...reference, controller: true }] } };
}
