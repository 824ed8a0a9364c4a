import type { core } from "@orchernetes/api";
import { controllerOf, type Stored } from "@orchernetes/apimachinery";
import { DISRUPTION_TARGET } from "./disruption.ts";
import { type PartSharing, unshared } from "./interned.ts";

/** The fields of a container that affect scheduling, and its limits for `/metrics/resources`. */
function slimContainer({ name, image, resources, ports }: core.Container): core.Container {
  const host = ports?.filter(({ hostPort }) => hostPort);
  return {
    name,
    ...(image !== undefined && { image }),
    resources: {
      ...(resources?.requests !== undefined && { requests: resources.requests }),
      ...(resources?.limits !== undefined && { limits: resources.limits }),
    },
    ...(host !== undefined && host.length > 0 && { ports: host }),
  };
}

/** The kinds of volumes that bind a pod to the place of its data, or that a node can have a limited number of. */
const kept = [
  "persistentVolumeClaim",
  "ephemeral",
  "awsElasticBlockStore",
  "azureDisk",
  "cinder",
  "gcePersistentDisk",
  "iscsi",
  "rbd",
  "vsphereVolume",
] as const satisfies readonly (keyof core.Volume)[];

/** The volumes that affect scheduling. */
const slimVolumes = (volumes: readonly core.Volume[] | undefined): core.Volume[] | undefined => {
  const deciding = volumes?.filter((volume) => kept.some((kind) => volume[kind] !== undefined));
  return deciding === undefined || deciding.length === 0 ? undefined : deciding;
};

/** What the pods of a template have in common. A pod on a node has a place for its node's name, so that it is copied without growing. */
const templateOf = (spec: core.PodSpec, nodeName: string | undefined): core.PodSpec => ({
  containers: spec.containers.map(slimContainer),
  ...(spec.initContainers !== undefined && { initContainers: spec.initContainers.map(slimContainer) }),
  ...(spec.overhead !== undefined && { overhead: spec.overhead }),
  ...(nodeName !== undefined && { nodeName: "" }),
  ...(spec.nodeSelector !== undefined && { nodeSelector: spec.nodeSelector }),
  ...(spec.tolerations !== undefined && { tolerations: spec.tolerations }),
  ...(spec.schedulerName !== undefined && { schedulerName: spec.schedulerName }),
  ...(spec.schedulingGates !== undefined && { schedulingGates: spec.schedulingGates }),
  ...(spec.priority !== undefined && { priority: spec.priority }),
  ...(spec.preemptionPolicy !== undefined && { preemptionPolicy: spec.preemptionPolicy }),
  ...(spec.terminationGracePeriodSeconds !== undefined && {
    terminationGracePeriodSeconds: spec.terminationGracePeriodSeconds,
  }),
  ...(spec.topologySpreadConstraints !== undefined && {
    topologySpreadConstraints: spec.topologySpreadConstraints,
  }),
});

function slimSpec(spec: core.PodSpec, { value, text }: PartSharing): core.PodSpec {
  const { nodeName, affinity } = spec;
  const template = value(templateOf(spec, nodeName));
  const volumes = slimVolumes(spec.volumes);
  if (affinity === undefined && volumes === undefined)
    return nodeName === undefined ? template : { ...template, nodeName: text(nodeName) };
  return {
    ...template,
    ...(nodeName !== undefined && { nodeName: text(nodeName) }),
    // Not of the template: pods of a daemon set differ in the node that they name here.
    ...(affinity !== undefined && { affinity: value(affinity) }),
    ...(volumes !== undefined && { volumes: value(volumes) }),
  };
}

type Metadata = Stored<core.Pod>["metadata"];

function slimMetadata(pod: Stored<core.Pod>, { value, text }: PartSharing): Metadata {
  const { name, namespace, uid, resourceVersion, labels, deletionTimestamp, creationTimestamp } = pod.metadata;
  const owner = controllerOf(pod);
  const ownerReferences = owner && value([owner]);
  const created = text(creationTimestamp);
  // Written out, because an object that is made of others takes more room; nearly all pods of a large cluster are like this.
  if (namespace !== undefined && labels !== undefined && ownerReferences !== undefined && !deletionTimestamp)
    return {
      name,
      namespace: text(namespace),
      uid,
      resourceVersion,
      creationTimestamp: created,
      labels: value(labels),
      ownerReferences,
    };
  return {
    name,
    ...(namespace !== undefined && { namespace: text(namespace) }),
    uid,
    resourceVersion,
    creationTimestamp: created,
    ...(labels !== undefined && { labels: value(labels) }),
    ...(deletionTimestamp !== undefined && { deletionTimestamp }),
    ...(ownerReferences !== undefined && { ownerReferences }),
  };
}

/** The conditions that are read: why a pod has no node, or why one terminates. */
function slimConditions({ metadata, spec, status }: Stored<core.Pod>): core.PodCondition[] | undefined {
  if (!spec.nodeName) return status.conditions?.filter(({ type }) => type === "PodScheduled");
  if (!metadata.deletionTimestamp) return undefined;
  return status.conditions
    ?.filter(({ type }) => type === DISRUPTION_TARGET)
    .map(({ type, status: value, reason }) => ({ type, status: value, ...(reason !== undefined && { reason }) }));
}

function slimStatus(pod: Stored<core.Pod>, { value, text }: PartSharing): core.PodStatus {
  const { phase, startTime, nominatedNodeName } = pod.status;
  const conditions = slimConditions(pod);
  const isReported = conditions !== undefined && conditions.length > 0;
  // Times of start are many, so that sharing the rest with them would be in vain.
  if (phase !== undefined && startTime !== undefined && nominatedNodeName === undefined && !isReported)
    return { phase, startTime: text(startTime) };
  return value({
    ...(phase !== undefined && { phase }),
    ...(startTime !== undefined && { startTime }),
    ...(nominatedNodeName !== undefined && { nominatedNodeName }),
    ...(isReported && { conditions }),
  });
}

/**
 * Keeps the fields of a pod that scheduling reads, so that memory per pod is small. The dropped fields (environment, probes,
 * mounts, annotations, managed fields, container states) never affect scheduling.
 *
 * @param sharing keeps once what pods of a template have in common; @default nothing is shared
 */
export function slimPod(pod: Stored<core.Pod>, sharing: PartSharing = unshared): Stored<core.Pod> {
  return {
    metadata: slimMetadata(pod, sharing),
    spec: slimSpec(pod.spec, sharing),
    status: slimStatus(pod, sharing),
  };
}
