import type { ResourceDefinition } from "@orchernetes/apimachinery";
import { erase } from "../../meta/erase.ts";
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

/** Resources of `v1`. */
export const coreV1: readonly ResourceDefinition[] = [
  erase(bindings),
  erase(componentStatuses),
  erase(configMaps),
  erase(endpoints),
  erase(events),
  erase(limitRanges),
  erase(namespaces),
  erase(nodes),
  erase(persistentVolumeClaims),
  erase(persistentVolumes),
  erase(pods),
  erase(podTemplates),
  erase(replicationControllers),
  erase(resourceQuotas),
  erase(secrets),
  erase(serviceAccounts),
  erase(services),
];
