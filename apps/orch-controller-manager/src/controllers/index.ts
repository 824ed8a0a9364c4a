import { cloudNodeLifecycleController, routeController, serviceController } from "@orchernetes/cloud-provider";
import type { ControllerDescriptor } from "../shared/define-controller.ts";
import { attachDetachController } from "./attachdetach/controller.ts";
import { bootstrapSignerController } from "./bootstrap-tokens/bootstrap-signer.ts";
import { tokenCleanerController } from "./bootstrap-tokens/token-cleaner.ts";
import { csrApprovingController } from "./certificates/csr-approving.ts";
import { csrCleanerController } from "./certificates/csr-cleaner.ts";
import { csrSigningController } from "./certificates/csr-signing.ts";
import { clusterRoleAggregationController } from "./clusterroleaggregation/controller.ts";
import { cronJobController } from "./cronjob/controller.ts";
import { daemonSetController } from "./daemonset/controller.ts";
import { deploymentController } from "./deployment/controller.ts";
import { disruptionController } from "./disruption/controller.ts";
import { endpointController } from "./endpoints/controller.ts";
import { endpointSliceController } from "./endpointslice/controller.ts";
import { endpointSliceMirroringController } from "./endpointslicemirroring/controller.ts";
import { ephemeralVolumeController } from "./ephemeral-volume/controller.ts";
import { garbageCollectorController } from "./garbagecollector/controller.ts";
import { horizontalPodAutoscalingController } from "./horizontalpodautoscaling/controller.ts";
import { jobController } from "./job/controller.ts";
import { namespaceController } from "./namespace/controller.ts";
import { nodeIpamController } from "./nodeipam/controller.ts";
import { nodeLifecycleController } from "./nodelifecycle/controller.ts";
import { persistentVolumeBinderController } from "./persistentvolume-binder/controller.ts";
import { persistentVolumeExpanderController } from "./persistentvolume-expander/controller.ts";
import { podGcController } from "./podgc/controller.ts";
import { replicaSetController } from "./replicaset/index.ts";
import { replicationControllerController } from "./replicationcontroller/index.ts";
import { resourceClaimController } from "./resourceclaim/controller.ts";
import { resourceQuotaController } from "./resourcequota/controller.ts";
import { rootCaCertPublisher } from "./root-ca-cert-publisher/controller.ts";
import { serviceAccountController } from "./serviceaccount/controller.ts";
import { serviceAccountTokenController } from "./serviceaccount-token/controller.ts";
import { statefulSetController } from "./statefulset/controller.ts";
import { pvProtectionController } from "./storage-protection/pv-protection.ts";
import { pvcProtectionController } from "./storage-protection/pvc-protection.ts";
import { storageVersionGcController } from "./storage-version-gc/controller.ts";
import { ttlController } from "./ttl/controller.ts";
import { ttlAfterFinishedController } from "./ttlafterfinished/controller.ts";

/** The controllers of the cloud, which do not run if cloud-controller-manager runs them (`--cloud-provider=external`). */
export const cloudControllers: readonly ControllerDescriptor[] = [
  serviceController,
  routeController(true),
  cloudNodeLifecycleController,
];

/**
 * All controllers in their start order. The controller of tokens is first, as in the original. The garbage collector is last, because it reuses the informers of the others.
 */
export const controllers: readonly ControllerDescriptor[] = [
  serviceAccountTokenController,
  serviceAccountController,
  rootCaCertPublisher,
  namespaceController,
  endpointController,
  endpointSliceController,
  endpointSliceMirroringController,
  replicationControllerController,
  replicaSetController,
  deploymentController,
  horizontalPodAutoscalingController,
  podGcController,
  nodeIpamController,
  nodeLifecycleController,
  ttlController,
  resourceQuotaController,
  disruptionController,
  daemonSetController,
  statefulSetController,
  jobController,
  cronJobController,
  persistentVolumeBinderController,
  attachDetachController,
  persistentVolumeExpanderController,
  ephemeralVolumeController,
  resourceClaimController,
  pvcProtectionController,
  pvProtectionController,
  ttlAfterFinishedController,
  clusterRoleAggregationController,
  csrSigningController,
  csrApprovingController,
  csrCleanerController,
  bootstrapSignerController,
  tokenCleanerController,
  storageVersionGcController,
  ...cloudControllers,
  garbageCollectorController,
];
