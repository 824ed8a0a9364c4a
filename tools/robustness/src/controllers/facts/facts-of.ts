import type { apps, batch, core } from "@orchernetes/api";
import { type ApiObject, controllerOf, type Stored } from "@orchernetes/apimachinery";
import { isConditionTrue, isPodReady } from "@orchernetes/component-helpers";
import { amountOf } from "./amount.ts";
import type {
  DaemonSetFacts,
  DeploymentFacts,
  JobFacts,
  PodFacts,
  ReplicaSetFacts,
  StatefulSetFacts,
} from "./facts.ts";

/** The label of templates that tells one from another. */
export const VERSION_LABEL = "version";
/** The annotation of pods that the workload deletes, set before the deletion. */
export const DISRUPTED_ANNOTATION = "robustness/disrupted";
const INDEX_ANNOTATION = "batch.orchernetes.io/job-completion-index";
const TRACKING_FINALIZER = "batch.orchernetes.io/job-tracking";

const commonOf = (object: Stored<ApiObject>) => ({
  namespace: object.metadata.namespace ?? "",
  name: object.metadata.name,
  uid: object.metadata.uid,
  owner: controllerOf(object)?.uid,
});

/** The fields that all kinds with `observedGeneration` have. */
function observedOf(
  object: Stored<ApiObject> & {
    readonly spec: { readonly template: core.PodTemplateSpec };
    readonly status?: { readonly observedGeneration?: number | undefined } | undefined;
  },
) {
  return {
    ...commonOf(object),
    generation: object.metadata.generation ?? 0,
    observed: object.status?.observedGeneration ?? 0,
    version: object.spec.template.metadata?.labels?.[VERSION_LABEL] ?? "",
  };
}

/** The facts of a Pod. */
export function podFacts(pod: Stored<core.Pod>): PodFacts {
  const { metadata, spec, status } = pod;
  const index = metadata.annotations?.[INDEX_ANNOTATION];
  return {
    ...commonOf(pod),
    kind: "Pod",
    version: metadata.labels?.[VERSION_LABEL] ?? "",
    node: spec.nodeName || targetOf(spec),
    index: index === undefined ? undefined : Number(index),
    phase: status?.phase ?? "Pending",
    ready: isPodReady(pod),
    terminating: metadata.deletionTimestamp !== undefined,
    tracked: metadata.finalizers?.includes(TRACKING_FINALIZER) === true,
    disrupted: metadata.annotations?.[DISRUPTED_ANNOTATION] !== undefined,
  };
}

/** The one node that the affinity of a daemon pod allows. */
export function targetOf({ affinity }: core.PodSpec): string | undefined {
  const [term] = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  return term?.matchFields?.[0]?.values?.[0];
}

/** The facts of a ReplicaSet. */
export function replicaSetFacts(set: Stored<apps.ReplicaSet>): ReplicaSetFacts {
  const { spec, status } = set;
  return {
    ...observedOf(set),
    kind: "ReplicaSet",
    replicas: spec.replicas ?? 1,
    available: status?.availableReplicas ?? 0,
  };
}

/** The facts of a Deployment with strategy RollingUpdate. */
export function deploymentFacts(deployment: Stored<apps.Deployment>): DeploymentFacts {
  const { spec, status } = deployment;
  const replicas = spec.replicas ?? 1;
  const { maxSurge = "25%", maxUnavailable = "25%" } = spec.strategy?.rollingUpdate ?? {};
  const surge = amountOf(maxSurge, replicas, "up");
  const unavailable = amountOf(maxUnavailable, replicas, "down");
  return {
    ...observedOf(deployment),
    kind: "Deployment",
    replicas,
    available: status?.availableReplicas ?? 0,
    surge,
    // A rollout must be able to begin: of two limits that are 0, the second one counts as 1.
    unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable,
  };
}

/** The facts of a StatefulSet. */
export function statefulSetFacts(set: Stored<apps.StatefulSet>): StatefulSetFacts {
  const { spec, status } = set;
  return {
    ...observedOf(set),
    kind: "StatefulSet",
    replicas: spec.replicas ?? 1,
    available: status?.availableReplicas ?? 0,
    ordered: (spec.podManagementPolicy ?? "OrderedReady") === "OrderedReady",
    partition: spec.updateStrategy?.rollingUpdate?.partition ?? 0,
  };
}

/**
 * The facts of a DaemonSet.
 *
 * @param nodes the number of nodes, of which limits may be percentages
 */
export function daemonSetFacts(set: Stored<apps.DaemonSet>, nodes: number): DaemonSetFacts {
  const { maxSurge = 0, maxUnavailable = 1 } = set.spec.updateStrategy?.rollingUpdate ?? {};
  const surge = amountOf(maxSurge, nodes, "up");
  const unavailable = amountOf(maxUnavailable, nodes, "up");
  return {
    ...observedOf(set),
    kind: "DaemonSet",
    replicas: nodes,
    available: set.status?.numberAvailable ?? 0,
    surge,
    unavailable: surge === 0 ? Math.max(1, unavailable) : unavailable,
  };
}

/** The facts of a Job. */
export function jobFacts(job: Stored<batch.Job>): JobFacts {
  const { metadata, spec, status } = job;
  const finished = (["Complete", "Failed"] as const).find((type) => isConditionTrue(status?.conditions, type));
  const { succeeded = [], failed = [] } = status?.uncountedTerminatedPods ?? {};
  return {
    ...commonOf(job),
    kind: "Job",
    generation: metadata.generation ?? 0,
    indexed: spec.completionMode === "Indexed",
    parallelism: spec.parallelism ?? 1,
    completions: spec.completions ?? 1,
    backoffLimit: spec.backoffLimit ?? 6,
    succeeded: status?.succeeded ?? 0,
    failed: status?.failed ?? 0,
    completedIndexes: indexesOf(status?.completedIndexes ?? ""),
    uncounted: { succeeded, failed },
    finished,
  };
}

/** The indexes of `0-2,5`, each as often as the text has it. */
function indexesOf(text: string): readonly number[] {
  return text
    .split(",")
    .filter((part) => part !== "")
    .flatMap((part) => {
      const [first = 0, last = first] = part.split("-").map(Number);
      return Array.from({ length: last - first + 1 }, (_, i) => first + i);
    });
}
