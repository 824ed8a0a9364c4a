import type { core } from "@orchernetes/api";
import { controllerOf, type Stored } from "@orchernetes/apimachinery";

/** The fields of a container that decide about nodes, and its limits for `/metrics/resources`. */
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

/** The volumes that decide about nodes. */
const slimVolumes = (volumes: readonly core.Volume[] | undefined): core.Volume[] | undefined => {
  const deciding = volumes?.filter((volume) => kept.some((kind) => volume[kind] !== undefined));
  return deciding === undefined || deciding.length === 0 ? undefined : deciding;
};

/**
 * Transform of an informer: keeps the fields of a pod that scheduling reads, so that memory per pod is small. What is
 * dropped (environment, probes, mounts, annotations, managed fields, container states) never decides about a node.
 */
export function slimPod(pod: Stored<core.Pod>): Stored<core.Pod> {
  const { name, namespace, uid, resourceVersion, labels, deletionTimestamp, creationTimestamp } = pod.metadata;
  const owner = controllerOf(pod);
  const { spec, status } = pod;
  const scheduled = status.conditions?.filter(({ type }) => type === "PodScheduled" || type === "DisruptionTarget");
  const volumes = slimVolumes(spec.volumes);
  return {
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      uid,
      resourceVersion,
      creationTimestamp,
      ...(labels !== undefined && { labels }),
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
      ...(owner !== undefined && { ownerReferences: [owner] }),
    },
    spec: {
      containers: spec.containers.map(slimContainer),
      ...(spec.initContainers !== undefined && { initContainers: spec.initContainers.map(slimContainer) }),
      ...(spec.overhead !== undefined && { overhead: spec.overhead }),
      ...(spec.nodeName !== undefined && { nodeName: spec.nodeName }),
      ...(spec.nodeSelector !== undefined && { nodeSelector: spec.nodeSelector }),
      ...(spec.affinity !== undefined && { affinity: spec.affinity }),
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
      ...(volumes !== undefined && { volumes }),
    },
    status: {
      ...(status.phase !== undefined && { phase: status.phase }),
      ...(status.startTime !== undefined && { startTime: status.startTime }),
      ...(status.nominatedNodeName !== undefined && { nominatedNodeName: status.nominatedNodeName }),
      ...(scheduled !== undefined && scheduled.length > 0 && { conditions: scheduled }),
    },
  };
}
