import type { TypeDocumentation } from "@orchernetes/apimachinery";
import { documentation as affinity } from "./affinity.ts";
import { documentation as configuration } from "./configuration.ts";
import { documentation as container } from "./container.ts";
import { documentation as containerStatus } from "./container-status.ts";
import { documentation as environment } from "./environment.ts";
import { documentation as event } from "./event.ts";
import { documentation as namespace } from "./namespace.ts";
import { documentation as node } from "./node.ts";
import { documentation as persistentVolume } from "./persistent-volume.ts";
import { documentation as persistentVolumeClaim } from "./persistent-volume-claim.ts";
import { documentation as persistentVolumeSources } from "./persistent-volume-sources.ts";
import { documentation as pod } from "./pod.ts";
import { documentation as podOptions } from "./pod-options.ts";
import { documentation as probe } from "./probe.ts";
import { documentation as quotas } from "./quotas.ts";
import { documentation as references } from "./references.ts";
import { documentation as replicationController } from "./replication-controller.ts";
import { documentation as securityContext } from "./security-context.ts";
import { documentation as service } from "./service.ts";
import { documentation as smallKinds } from "./small-kinds.ts";
import { documentation as volumeSources } from "./volume-sources.ts";

/** Texts of all types of core/v1, gathered from the files beside this one. */
export const documentation: TypeDocumentation = {
  ...affinity,
  ...configuration,
  ...container,
  ...containerStatus,
  ...environment,
  ...event,
  ...namespace,
  ...node,
  ...persistentVolume,
  ...persistentVolumeClaim,
  ...persistentVolumeSources,
  ...pod,
  ...podOptions,
  ...probe,
  ...quotas,
  ...references,
  ...replicationController,
  ...securityContext,
  ...service,
  ...smallKinds,
  ...volumeSources,
};
