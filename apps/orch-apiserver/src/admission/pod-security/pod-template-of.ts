import type { apps, batch, core } from "@orchernetes/api";
import type { ApiObject } from "@orchernetes/apimachinery";
import type { GroupVersionResource } from "@orchernetes/apiserver";
import type { PodLike } from "./controls/control.ts";

/** The pod template of a workload; undefined for other resources and without one. */
export function templateOf(
  { group, resource }: GroupVersionResource,
  object: ApiObject | undefined,
): PodLike | undefined {
  switch (group) {
    case "":
      if (resource === "podtemplates") return withSpec((object as core.PodTemplate | undefined)?.template);
      if (resource !== "replicationcontrollers") return undefined;
      return withSpec((object as core.ReplicationController | undefined)?.spec.template);
    case "apps":
      if (!["daemonsets", "deployments", "replicasets", "statefulsets"].includes(resource)) return undefined;
      return withSpec((object as apps.Deployment | undefined)?.spec.template);
    case "batch":
      if (resource === "jobs") return withSpec((object as batch.Job | undefined)?.spec.template);
      if (resource !== "cronjobs") return undefined;
      return withSpec((object as batch.CronJob | undefined)?.spec.jobTemplate.spec.template);
    default:
      return undefined;
  }
}

function withSpec(
  template:
    | { readonly metadata?: PodLike["metadata"] | undefined; readonly spec?: core.PodSpec | undefined }
    | undefined,
): PodLike | undefined {
  return template?.spec && { metadata: template.metadata ?? {}, spec: template.spec };
}
