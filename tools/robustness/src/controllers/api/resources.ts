import type { apps, batch, core } from "@orchernetes/api";
import type { ApiObject } from "@orchernetes/apimachinery";
import type { ResourceRef } from "@orchernetes/client";

function ref<T extends ApiObject>(
  group: string,
  plural: string,
  kind: string,
  scope: ResourceRef["scope"] = "Namespaced",
): ResourceRef<T> {
  return { group, version: "v1", plural, kind, scope };
}

export const namespaces = ref<core.Namespace>("", "namespaces", "Namespace", "Cluster");
export const nodes = ref<core.Node>("", "nodes", "Node", "Cluster");
export const pods = ref<core.Pod>("", "pods", "Pod");
export const replicaSets = ref<apps.ReplicaSet>("apps", "replicasets", "ReplicaSet");
export const deployments = ref<apps.Deployment>("apps", "deployments", "Deployment");
export const statefulSets = ref<apps.StatefulSet>("apps", "statefulsets", "StatefulSet");
export const daemonSets = ref<apps.DaemonSet>("apps", "daemonsets", "DaemonSet");
export const jobs = ref<batch.Job>("batch", "jobs", "Job");
