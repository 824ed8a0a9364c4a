import type { apps, autoscalingV2, batch, coordination, core, discovery, policy, storage } from "@orchernetes/api";
import type { StorageVersion } from "@orchernetes/api/apiserverinternal/v1alpha1";
import type { ClusterCIDR } from "@orchernetes/api/networking/v1alpha1";
import type { ResourceClaim, ResourceClaimTemplate } from "@orchernetes/api/resource/v1alpha2";
import type { ApiObject } from "@orchernetes/apimachinery";
import type { ResourceRef } from "@orchernetes/client";

/**
 * References to the resources of the controllers. They contain only names and types: a client needs no schemas, and not
 * loading them saves memory and time at the start.
 */
function ref<T extends ApiObject>(
  group: string,
  version: string,
  plural: string,
  kind: string,
  scope: ResourceRef["scope"] = "Namespaced",
): ResourceRef<T> {
  return Object.freeze({ group, version, plural, kind, scope });
}

export const configMaps = ref<core.ConfigMap>("", "v1", "configmaps", "ConfigMap");
export const endpoints = ref<core.Endpoints>("", "v1", "endpoints", "Endpoints");
export const namespaces = ref<core.Namespace>("", "v1", "namespaces", "Namespace", "Cluster");
export const nodes = ref<core.Node>("", "v1", "nodes", "Node", "Cluster");
export const persistentVolumeClaims = ref<core.PersistentVolumeClaim>(
  "",
  "v1",
  "persistentvolumeclaims",
  "PersistentVolumeClaim",
);
export const persistentVolumes = ref<core.PersistentVolume>(
  "",
  "v1",
  "persistentvolumes",
  "PersistentVolume",
  "Cluster",
);
export const pods = ref<core.Pod>("", "v1", "pods", "Pod");
export const replicationControllers = ref<core.ReplicationController>(
  "",
  "v1",
  "replicationcontrollers",
  "ReplicationController",
);
export const resourceQuotas = ref<core.ResourceQuota>("", "v1", "resourcequotas", "ResourceQuota");
export const secrets = ref<core.Secret>("", "v1", "secrets", "Secret");
export const serviceAccounts = ref<core.ServiceAccount>("", "v1", "serviceaccounts", "ServiceAccount");
export const services = ref<core.Service>("", "v1", "services", "Service");
export const controllerRevisions = ref<apps.ControllerRevision>(
  "apps",
  "v1",
  "controllerrevisions",
  "ControllerRevision",
);
export const daemonSets = ref<apps.DaemonSet>("apps", "v1", "daemonsets", "DaemonSet");
export const deployments = ref<apps.Deployment>("apps", "v1", "deployments", "Deployment");
export const replicaSets = ref<apps.ReplicaSet>("apps", "v1", "replicasets", "ReplicaSet");
export const statefulSets = ref<apps.StatefulSet>("apps", "v1", "statefulsets", "StatefulSet");
export const horizontalPodAutoscalers = ref<autoscalingV2.HorizontalPodAutoscaler>(
  "autoscaling",
  "v2",
  "horizontalpodautoscalers",
  "HorizontalPodAutoscaler",
);
export const cronJobs = ref<batch.CronJob>("batch", "v1", "cronjobs", "CronJob");
export const jobs = ref<batch.Job>("batch", "v1", "jobs", "Job");
export const leases = ref<coordination.Lease>("coordination.o8s.io", "v1", "leases", "Lease");
export const endpointSlices = ref<discovery.EndpointSlice>("discovery.o8s.io", "v1", "endpointslices", "EndpointSlice");
export const clusterCIDRs = ref<ClusterCIDR>("networking.o8s.io", "v1alpha1", "clustercidrs", "ClusterCIDR", "Cluster");
export const podDisruptionBudgets = ref<policy.PodDisruptionBudget>(
  "policy",
  "v1",
  "poddisruptionbudgets",
  "PodDisruptionBudget",
);
export const resourceClaims = ref<ResourceClaim>("resource.o8s.io", "v1alpha2", "resourceclaims", "ResourceClaim");
export const resourceClaimTemplates = ref<ResourceClaimTemplate>(
  "resource.o8s.io",
  "v1alpha2",
  "resourceclaimtemplates",
  "ResourceClaimTemplate",
);
export const storageVersions = ref<StorageVersion>(
  "internal.apiserver.o8s.io",
  "v1alpha1",
  "storageversions",
  "StorageVersion",
  "Cluster",
);
export const storageClasses = ref<storage.StorageClass>(
  "storage.o8s.io",
  "v1",
  "storageclasses",
  "StorageClass",
  "Cluster",
);
export const csiDrivers = ref<storage.CSIDriver>("storage.o8s.io", "v1", "csidrivers", "CSIDriver", "Cluster");
export const csiNodes = ref<storage.CSINode>("storage.o8s.io", "v1", "csinodes", "CSINode", "Cluster");
export const volumeAttachments = ref<storage.VolumeAttachment>(
  "storage.o8s.io",
  "v1",
  "volumeattachments",
  "VolumeAttachment",
  "Cluster",
);
