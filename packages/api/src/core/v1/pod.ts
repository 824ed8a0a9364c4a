import { type DeletionDecision, type Draft, defineResource, type StrategyContext } from "@orchernetes/apimachinery";
import { Eviction } from "../../policy/v1/types.ts";
import { allVerbs } from "../../shared/definitions.ts";
import { share } from "../../shared/drafts.ts";
import { defaultPod } from "./defaults/pod.ts";
import { podColumns, podRowConditions } from "./pod-columns.ts";
import { defaultResizePolicies, proposeResize } from "./resize.ts";
import { podQosClass } from "./rules/qos.ts";
import { Binding } from "./types/binding.ts";
import { Pod } from "./types/pod.ts";
import { PodAttachOptions, PodExecOptions, PodPortForwardOptions, PodProxyOptions } from "./types/pod-options.ts";
import { validatePod } from "./validation/pod.ts";
import { validatePodStatusUpdate } from "./validation/pod-status.ts";
import { validateEphemeralContainersUpdate, validatePodUpdate } from "./validation/pod-update.ts";
import { podWarnings } from "./warnings.ts";

const handler = { type: "handler", group: "", version: "v1" } as const;
const proxyVerbs = ["create", "delete", "get", "patch", "update"] as const;

/**
 * Prepares a create. The status in the request is ignored: a new pod is pending, its QoS class follows from its
 * resources, and scheduling gates are reported as a condition (KEP-3521), so that users see why it is not scheduled.
 */
function prepareForCreate(pod: Draft<Pod>, ctx: StrategyContext): void {
  if (ctx.featureEnabled("InPlacePodVerticalScaling")) defaultResizePolicies(pod);
  pod.status = { phase: "Pending", qosClass: podQosClass(pod.spec) };
  if ((pod.spec.schedulingGates ?? []).length > 0 && ctx.featureEnabled("PodSchedulingReadiness")) {
    pod.status.conditions = [
      {
        type: "PodScheduled",
        status: "False",
        reason: "SchedulingGated",
        message: "Scheduling is blocked due to non-empty scheduling gates",
      },
    ];
  }
}

/**
 * Deletion of a pod is graceful: the node agent has the grace period to stop its containers, and then removes the
 * object with a period of 0. Pods that are bound to no node, or have ended, need none.
 */
function decideDeletion(pod: Pod, requested: number | undefined): DeletionDecision {
  const { spec, status } = pod;
  const over = status.phase === "Succeeded" || status.phase === "Failed";
  const seconds = requested ?? spec.terminationGracePeriodSeconds ?? 0;
  const gracePeriodSeconds = !spec.nodeName || over ? 0 : seconds < 0 ? 1 : seconds;
  return { type: "graceful", gracePeriodSeconds };
}

/**
 * `v1` pods. Field selectors are those of upstream; `spec.nodeName` is indexed, because each orchlet watches the pods
 * of its node.
 */
export const pods = defineResource<Pod>({
  group: "",
  version: "v1",
  kind: "Pod",
  plural: "pods",
  singular: "pod",
  shortNames: ["po"],
  categories: ["all"],
  scope: "Namespaced",
  verbs: allVerbs,
  schema: Pod,
  storagePrefix: "/registry/pods",
  applyDefaults: defaultPod,
  strategy: {
    prepareForCreate,
    validate: validatePod,
    prepareForUpdate: (pod, old, ctx) => {
      pod.status = share(old.status);
      if (ctx.featureEnabled("InPlacePodVerticalScaling")) proposeResize(pod, old);
    },
    validateUpdate: validatePodUpdate,
    warnings: (pod) => podWarnings(pod, ""),
    decideDeletion,
    returnDeletedObject: true,
  },
  columns: podColumns,
  rowConditions: podRowConditions,
  fieldSelectors: [
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.schedulerName",
    "spec.serviceAccountName",
    "status.phase",
    "status.podIP",
    "status.nominatedNodeName",
  ],
  indexedFields: ["spec.nodeName"],
  selectableFields: ({ spec, status }) => ({
    "spec.nodeName": spec.nodeName ?? "",
    "spec.restartPolicy": spec.restartPolicy ?? "",
    "spec.schedulerName": spec.schedulerName ?? "",
    "spec.serviceAccountName": spec.serviceAccountName ?? "",
    "status.phase": status.phase ?? "",
    "status.podIP": status.podIPs?.[0]?.ip ?? status.podIP ?? "",
    "status.nominatedNodeName": status.nominatedNodeName ?? "",
  }),
  subresources: {
    status: {
      type: "status",
      verbs: ["get", "patch", "update"],
      strategy: {
        prepareForUpdate: (pod, old) => {
          pod.spec = share(old.spec);
          // Status updates of node agents contain no owner references, and must not remove them.
          const { ownerReferences } = old.metadata;
          pod.metadata.ownerReferences = share(ownerReferences);
        },
        validateUpdate: validatePodStatusUpdate,
      },
    },
    ephemeralcontainers: {
      type: "object",
      verbs: ["get", "patch", "update"],
      strategy: {
        prepareForUpdate: (pod, old) => {
          // Only the ephemeral containers are taken from the request; the rest of the pod stays as it is stored.
          const { ephemeralContainers } = pod.spec;
          pod.spec = { ...share(old.spec), ephemeralContainers };
          pod.status = share(old.status);
        },
        validateUpdate: validateEphemeralContainersUpdate,
      },
    },
    binding: { ...handler, kind: "Binding", verbs: ["create"], schema: Binding },
    eviction: {
      type: "handler",
      group: "policy",
      version: "v1",
      kind: "Eviction",
      verbs: ["create"],
      schema: Eviction,
      // Older clients still send the beta version, which has the same fields.
      alsoAccepts: ["policy/v1beta1"],
    },
    log: { ...handler, kind: "Pod", verbs: ["get"] },
    exec: { ...handler, kind: "PodExecOptions", verbs: ["create", "get"], schema: PodExecOptions },
    attach: { ...handler, kind: "PodAttachOptions", verbs: ["create", "get"], schema: PodAttachOptions },
    portforward: {
      ...handler,
      kind: "PodPortForwardOptions",
      verbs: ["create", "get"],
      schema: PodPortForwardOptions,
    },
    proxy: { ...handler, kind: "PodProxyOptions", verbs: proxyVerbs, schema: PodProxyOptions },
  },
});
