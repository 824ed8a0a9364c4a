import { resourceDefinitions } from "@orchernetes/apimachinery";
import { bindings } from "./binding.ts";
import { componentStatuses } from "./component-status.ts";
import { configMaps } from "./config-map.ts";
import { endpoints } from "./endpoints.ts";
import { events } from "./event.ts";
import { limitRanges } from "./limit-range.ts";
import { namespaces } from "./namespace.ts";
import { nodes } from "./node.ts";
import { persistentVolumes } from "./persistent-volume.ts";
import { persistentVolumeClaims } from "./persistent-volume-claim.ts";
import { pods } from "./pod.ts";
import { podTemplates } from "./pod-template.ts";
import { replicationControllers } from "./replication-controller.ts";
import { resourceQuotas } from "./resource-quota.ts";
import { secrets } from "./secret.ts";
import { services } from "./service.ts";
import { serviceAccounts } from "./service-account.ts";

export { isExtendedResource } from "../../shared/resource-names.ts";
export * from "./binding.ts";
export * from "./component-status.ts";
export * from "./config-map.ts";
export { defaultPod } from "./defaults/pod.ts";
export * from "./endpoints.ts";
export { events } from "./event.ts";
export * from "./limit-range.ts";
export * from "./namespace.ts";
export { nodes } from "./node.ts";
export { persistentVolumes } from "./persistent-volume.ts";
export { persistentVolumeClaims } from "./persistent-volume-claim.ts";
export { pods } from "./pod.ts";
export { summarizePod } from "./pod-columns.ts";
export { podTemplates } from "./pod-template.ts";
export { replicationControllers } from "./replication-controller.ts";
export { resourceQuotas } from "./resource-quota.ts";
export { podQosClass } from "./rules/qos.ts";
export * from "./rules/service-type.ts";
export * from "./secret.ts";
export { services } from "./service.ts";
export * from "./service-account.ts";
export * from "./service-update.ts";
export * from "./types/affinity.ts";
export * from "./types/binding.ts";
export * from "./types/container.ts";
export * from "./types/container-status.ts";
export * from "./types/environment.ts";
export * from "./types/event.ts";
export * from "./types/node.ts";
export * from "./types/persistent-volume.ts";
export * from "./types/persistent-volume-claim.ts";
export * from "./types/persistent-volume-sources.ts";
export * from "./types/pod.ts";
export * from "./types/pod-options.ts";
export * from "./types/pod-template.ts";
export * from "./types/probe.ts";
export * from "./types/range-allocation.ts";
export * from "./types/references.ts";
export * from "./types/replication-controller.ts";
export * from "./types/resource-quota.ts";
export * from "./types/security-context.ts";
export * from "./types/service.ts";
export * from "./types/volume-sources.ts";
export { validateClusterIPs } from "./validation/cluster-ips.ts";
export { validatePod } from "./validation/pod.ts";
export { appArmorAnnotationPrefix, mirrorAnnotation } from "./validation/pod-annotations.ts";
export { validateBinding, validatePodLogOptions } from "./validation/pod-options.ts";
export { podWarnings } from "./warnings.ts";

/** Resources of `v1`. */
export const coreV1 = resourceDefinitions(
  bindings,
  componentStatuses,
  configMaps,
  endpoints,
  events,
  limitRanges,
  namespaces,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  podTemplates,
  replicationControllers,
  resourceQuotas,
  secrets,
  serviceAccounts,
  services,
);
