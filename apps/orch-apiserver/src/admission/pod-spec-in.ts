import type { apps, batch, core } from "@orchernetes/api";
import type { ApiObject } from "@orchernetes/apimachinery";
import type { GroupVersionResource } from "@orchernetes/apiserver";

/** A pod spec inside an object, and its path there. */
export interface PodSpecPlace {
  readonly spec: core.PodSpec;
  readonly at: string;
}

const workloads: readonly string[] = [
  "replicationcontrollers",
  "apps/daemonsets",
  "apps/deployments",
  "apps/replicasets",
  "apps/statefulsets",
  "batch/jobs",
];

/** The spec of a pod, or of the pod template of a workload; undefined for other resources and without a template. */
export function podSpecIn({ group, resource }: GroupVersionResource, object: ApiObject): PodSpecPlace | undefined {
  const key = group === "" ? resource : `${group}/${resource}`;
  const place = (spec: core.PodSpec | undefined, at: string) => (spec === undefined ? undefined : { spec, at });
  if (key === "pods") return place((object as core.Pod).spec, "spec");
  if (key === "podtemplates") return place((object as core.PodTemplate).template?.spec, "template.spec");
  if (key === "batch/cronjobs")
    return place((object as batch.CronJob).spec.jobTemplate.spec.template.spec, "spec.jobTemplate.spec.template.spec");
  if (workloads.includes(key)) return place((object as apps.Deployment).spec.template?.spec, "spec.template.spec");
  return undefined;
}
