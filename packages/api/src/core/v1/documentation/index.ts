import type { TypeDocumentation } from "@orchernetes/apimachinery";
import { documentation as affinity } from "./affinity.ts";
import { documentation as binding } from "./binding.ts";
import { documentation as componentStatus } from "./component-status.ts";
import { documentation as configMap } from "./config-map.ts";
import { documentation as container } from "./container.ts";
import { documentation as containerStatus } from "./container-status.ts";
import { documentation as endpoints } from "./endpoints.ts";
import { documentation as environment } from "./environment.ts";
import { documentation as event } from "./event.ts";
import { documentation as limitRange } from "./limit-range.ts";
import { documentation as misc } from "./misc.ts";
import { documentation as namespace } from "./namespace.ts";
import { documentation as node } from "./node.ts";
import { documentation as persistentVolume } from "./persistent-volume.ts";
import { documentation as persistentVolumeClaim } from "./persistent-volume-claim.ts";
import { documentation as persistentVolumeSources } from "./persistent-volume-sources.ts";
import { documentation as pod } from "./pod.ts";
import { documentation as podOptions } from "./pod-options.ts";
import { documentation as podTemplate } from "./pod-template.ts";
import { documentation as probe } from "./probe.ts";
import { documentation as rangeAllocation } from "./range-allocation.ts";
import { documentation as references } from "./references.ts";
import { documentation as replicationController } from "./replication-controller.ts";
import { documentation as resourceQuota } from "./resource-quota.ts";
import { documentation as secret } from "./secret.ts";
import { documentation as securityContext } from "./security-context.ts";
import { documentation as service } from "./service.ts";
import { documentation as serviceAccount } from "./service-account.ts";
import { documentation as volumeSources } from "./volume-sources.ts";

/** Texts of all types of core/v1, gathered from one file for each file of types. */
export const documentation: TypeDocumentation = {
  ...affinity,
  ...binding,
  ...componentStatus,
  ...configMap,
  ...container,
  ...containerStatus,
  ...endpoints,
  ...environment,
  ...event,
  ...limitRange,
  ...misc,
  ...namespace,
  ...node,
  ...persistentVolume,
  ...persistentVolumeClaim,
  ...persistentVolumeSources,
  ...pod,
  ...podOptions,
  ...podTemplate,
  ...probe,
  ...rangeAllocation,
  ...references,
  ...replicationController,
  ...resourceQuota,
  ...secret,
  ...securityContext,
  ...service,
  ...serviceAccount,
  ...volumeSources,
};
