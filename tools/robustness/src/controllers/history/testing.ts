import type {
  DaemonSetFacts,
  DeploymentFacts,
  Facts,
  JobFacts,
  OwnerFacts,
  PodFacts,
  ReplicaSetFacts,
  StatefulSetFacts,
} from "../facts/facts.ts";
import type { ControllerHistory, Gap, ObjectEvent } from "./history.ts";

const observed = { namespace: "n", owner: undefined, generation: 1, observed: 1, version: "v1", available: 0 };

/** A pod of an owner that runs and is ready; its uid is its name. */
export function pod(name: string, owner: OwnerFacts, fields: Partial<PodFacts> = {}): PodFacts {
  return {
    kind: "Pod",
    namespace: "n",
    name,
    uid: name,
    owner: owner.uid,
    version: "v1",
    node: undefined,
    index: undefined,
    phase: "Running",
    ready: true,
    terminating: false,
    tracked: false,
    disrupted: false,
    ...fields,
  };
}

/** A ReplicaSet of 3 pods. */
export const replicaSet = (fields: Partial<ReplicaSetFacts> = {}): ReplicaSetFacts => ({
  ...{ ...observed, kind: "ReplicaSet", name: "rs", uid: "rs", replicas: 3 },
  ...fields,
});

/** A Deployment of 3 pods, with maxSurge 1 and maxUnavailable 1. */
export const deployment = (fields: Partial<DeploymentFacts> = {}): DeploymentFacts => ({
  ...{ ...observed, kind: "Deployment", name: "web", uid: "web", replicas: 3, surge: 1, unavailable: 1 },
  ...fields,
});

/** A StatefulSet of 3 pods in order. */
export const statefulSet = (fields: Partial<StatefulSetFacts> = {}): StatefulSetFacts => ({
  ...{ ...observed, kind: "StatefulSet", name: "db", uid: "db", replicas: 3, ordered: true, partition: 0 },
  ...fields,
});

/** A DaemonSet on 3 nodes, with maxUnavailable 1. */
export const daemonSet = (fields: Partial<DaemonSetFacts> = {}): DaemonSetFacts => ({
  ...{ ...observed, kind: "DaemonSet", name: "agent", uid: "agent", replicas: 3, surge: 0, unavailable: 1 },
  ...fields,
});

/** A Job of 3 completions, 2 at a time. */
export const job = (fields: Partial<JobFacts> = {}): JobFacts => ({
  kind: "Job",
  namespace: "n",
  name: "sum",
  uid: "sum",
  owner: undefined,
  generation: 1,
  indexed: false,
  parallelism: 2,
  completions: 3,
  backoffLimit: 1,
  succeeded: 0,
  failed: 0,
  completedIndexes: [],
  uncounted: { succeeded: [], failed: [] },
  finished: undefined,
  ...fields,
});

/** An object that is removed. */
export const removed = (object: Facts): { readonly removed: Facts } => ({ removed: object });

/** A history of the steps, one revision and one second each. */
export function historyOf(
  steps: readonly (Facts | { readonly removed: Facts })[],
  gaps: readonly Gap[] = [],
): ControllerHistory {
  const events = steps.map((step, i): ObjectEvent => {
    const at = { revision: i + 1, atMs: (i + 1) * 1000 };
    return "removed" in step ? { ...at, deleted: true, object: step.removed } : { ...at, deleted: false, object: step };
  });
  return { events, gaps };
}
