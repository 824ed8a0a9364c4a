import type { TypeDocumentation } from "@orchernetes/apimachinery";
import {
  conditionMessage,
  conditionReason,
  conditionStatus,
  conditionTransition,
  listMetadata,
  objectMetadata,
} from "./phrases.ts";

const notWindows = "Not for Windows pods.";

/** Texts of the types in `types/pod.ts`. */
export const documentation: TypeDocumentation = {
  Pod: {
    "": "A group of containers that run together on one node and share network and volumes. Usually made by a controller such as a deployment, since a pod by itself is not replaced when its node fails.",
    metadata: objectMetadata,
    spec: "How the pod is to run. After creation only images, activeDeadlineSeconds, additions to tolerations and the removal of schedulingGates can be changed.",
    status: "What was last seen of the pod. Read-only for users; written mostly by the orchlet.",
  },
  PodCondition: {
    "": "One finding about a pod.",
    type: "What was found: PodScheduled (it has a node), Initialized (all init containers have succeeded), ContainersReady, Ready (it takes traffic), DisruptionTarget (it is being evicted), or one that readinessGates name.",
    status: conditionStatus,
    lastProbeTime: "When the condition was last checked.",
    lastTransitionTime: conditionTransition,
    reason: conditionReason,
    message: conditionMessage,
  },
  PodReadinessGate: {
    "": "An additional condition that must be True for a pod to be ready.",
    conditionType: "Type of the condition. A component other than the orchlet keeps it up to date in the pod's status.",
  },
  PodSpec: {
    "": "How a pod is to run.",
    volumes: "Volumes that the containers can mount, by their names.",
    initContainers:
      "Containers that run one after the other, each to its end, before the others start. If one fails, it is retried, or the pod fails with restartPolicy Never. Their resources count as the largest request of any one of them, not as the sum. Cannot be added or removed later.",
    containers: "The containers. At least one; none can be added or removed later.",
    ephemeralContainers:
      "Containers added to the running pod for debugging. They are added only through the ephemeralcontainers subresource, never at creation.",
    restartPolicy:
      "Whether containers that end are started again: Always, OnFailure (only after a failure) or Never. Restarts wait longer each time, up to five minutes. Default Always.",
    terminationGracePeriodSeconds:
      "Seconds that the containers get to end when the pod is deleted, from the stop signal (or preStop) until they are killed. 0 means immediately. Default 30.",
    activeDeadlineSeconds:
      "Seconds, from startTime, after which the pod is ended and fails with DeadlineExceeded. At least 1. Later it can be set or lowered, but not raised.",
    dnsPolicy:
      "Where names are looked up: ClusterFirst (the cluster's DNS, which passes on other names), ClusterFirstWithHostNet (the same for hostNetwork pods), Default (as on the node) or None (only what dnsConfig says). Default ClusterFirst; with hostNetwork it works like Default.",
    nodeSelector: "Labels that a node must have for the pod to be placed there.",
    serviceAccountName: "Service account that the pod runs as, in its namespace. Default default. Immutable.",
    serviceAccount: "Old name of serviceAccountName. Deprecated; always holds the same value.",
    automountServiceAccountToken:
      "Whether the service account's token is mounted into the containers at /var/run/secrets/orchernetes.io/serviceaccount. Takes precedence over the service account's setting. Default true.",
    nodeName:
      "Node that the pod runs on. Set by the scheduler through a binding; if given at creation, the pod bypasses the scheduler, and the orchlet of that node runs it. Immutable once set.",
    hostNetwork: `Uses the node's network instead of a network namespace of its own. The pod then has the node's IP, and its ports are in use on the node. Default false.`,
    hostPID:
      "Shares the node's process namespace, so that the pod sees the node's processes. Not together with shareProcessNamespace. Default false.",
    hostIPC: "Shares the node's IPC namespace. Default false.",
    shareProcessNamespace: `Lets the containers see and signal each other's processes; none of them then has PID 1. Not together with hostPID. Default false. ${notWindows}`,
    securityContext: "Security settings for all containers of the pod. Empty by default.",
    imagePullSecrets:
      "Secrets of the namespace with credentials for image registries. If empty, those of the service account are filled in.",
    hostname: "Host name of the pod. Its name if left out.",
    subdomain:
      "If set, the pod's full host name is HOSTNAME.SUBDOMAIN.NAMESPACE.svc.CLUSTER-DOMAIN. With a headless service of this name, DNS resolves it, too.",
    affinity: "Rules on which nodes, and next to which pods, this pod may and should be placed.",
    schedulerName: "Scheduler that looks for a node. Default default-scheduler.",
    tolerations:
      "Taints of nodes that the pod tolerates. By default node.orchernetes.io/not-ready and unreachable are tolerated for 300 seconds. More can be added later, none removed.",
    hostAliases: "Lines to add to the containers' /etc/hosts. Not for hostNetwork pods.",
    priorityClassName:
      "Priority class of the pod, which must exist. system-node-critical and system-cluster-critical are the highest. If left out, the class marked as the default applies, or else priority 0.",
    priority:
      "Priority of the pod. Filled in from the priority class; any other value is rejected. Pods of higher priority are scheduled first and may preempt others.",
    dnsConfig: "DNS settings, which are merged into those of dnsPolicy.",
    readinessGates:
      "Further conditions that must be True for the pod to be ready, besides the readiness of its containers.",
    runtimeClassName:
      "Runtime class that says which runtime handler runs the pod. It must exist. If left out, the node's default handler runs it.",
    enableServiceLinks:
      "Whether the services of the namespace become environment variables, such as WEB_SERVICE_HOST. Default true.",
    preemptionPolicy:
      "Whether the pod may preempt pods of lower priority to be scheduled: PreemptLowerPriority or Never. Filled in from the priority class; default PreemptLowerPriority.",
    overhead:
      "Resources that running the pod needs in addition to the requests of its containers. Filled in from the runtime class; any other value is rejected. Counted in scheduling and quota.",
    topologySpreadConstraints:
      "How pods like this one are to be spread over zones, nodes and the like. All constraints must hold.",
    setHostnameAsFQDN: `Makes the full name the kernel's host name, at most 64 characters. Without effect if the pod has no full name. Default false. ${notWindows}`,
    os: "Operating system of the containers. Certain fields are only allowed for one of them. Nodes with another operating system reject the pod.",
    hostUsers:
      "False gives the pod a user namespace of its own, so that root in the pod is an unprivileged user on the node. Not together with hostNetwork, hostPID or hostIPC; needs the feature gate UserNamespacesStatelessPodsSupport. Default true.",
    schedulingGates:
      "While the list is not empty, the scheduler ignores the pod. Entries can be set at creation only; afterwards they can be removed but not added.",
    resourceClaims:
      "Claims on devices and the like that must be met before the pod starts, for containers to use by name. Needs the feature gate DynamicResourceAllocation. Immutable.",
  },
  PodResourceClaim: {
    "": "A claim that containers of the pod can use by its name.",
    name: "Name for use within the pod, unique there.",
    source: "Where the claim comes from.",
  },
  ClaimSource: {
    "": "Where a claim comes from. Exactly one field is set.",
    resourceClaimName: "Name of a ResourceClaim of the pod's namespace.",
    resourceClaimTemplateName:
      "Name of a ResourceClaimTemplate of the pod's namespace. The claim is made from it for the pod and deleted with it.",
  },
  PodOS: {
    "": "Operating system of a pod's containers.",
    name: "linux or windows.",
  },
  PodSchedulingGate: {
    "": "A condition that must be cleared before a pod is scheduled.",
    name: "Name of the gate, unique within the pod, such as example.com/quota.",
  },
  HostAlias: {
    "": "A line of /etc/hosts.",
    ip: "The IP address.",
    hostnames: "Names for that address.",
  },
  PodDNSConfig: {
    "": "DNS settings that are merged into those of dnsPolicy. Duplicates are dropped.",
    nameservers:
      "Addresses of name servers, added to those of dnsPolicy. At most 3; at least one with the policy None.",
    searches: "Domains to try for short names, added to those of dnsPolicy. At most 32 with 2048 characters in all.",
    options: "Options of the resolver. They replace options of the same name from dnsPolicy.",
  },
  PodDNSConfigOption: {
    "": "One option of the resolver.",
    name: "Name of the option, such as ndots. Required.",
    value: "Value of the option, if it takes one.",
  },
  PodIP: {
    "": "One address of a pod.",
    ip: "The IP address.",
  },
  PodStatus: {
    "": "What was last seen of a pod. It may be out of date, above all when the node cannot be reached.",
    phase:
      "Phase of the pod's life cycle: Pending (not all containers have started yet), Running, Succeeded (all containers have ended successfully and are not restarted), Failed (all have ended, at least one with an error) or Unknown.",
    conditions: "Findings about the pod, such as PodScheduled and Ready.",
    message: "A human-readable reason why the pod is in this state.",
    reason: "Reason why the pod is in this state, as a word such as Evicted or DeadlineExceeded.",
    nominatedNodeName:
      "Node on which other pods are being preempted to make room for this one. The pod may still be scheduled elsewhere.",
    hostIP: "Address of the node. Empty until the orchlet has accepted the pod.",
    podIP: "Address of the pod, the first of podIPs. Empty until it has one.",
    podIPs: "Addresses of the pod, at most one for each IP family.",
    startTime: "When the orchlet accepted the pod, before any image was pulled.",
    initContainerStatuses: "One entry for each init container.",
    containerStatuses: "One entry for each container.",
    qosClass:
      "Quality of service class, which decides the order of eviction when the node runs short of resources: Guaranteed (limits equal to requests for CPU and memory in every container), BestEffort (no requests or limits; evicted first) or Burstable (the rest).",
    ephemeralContainerStatuses: "One entry for each ephemeral container that was added.",
    resize:
      "State of a change of resources in the running pod: Proposed, InProgress, Deferred or Infeasible; empty if there is none. Needs the feature gate InPlacePodVerticalScaling.",
  },
  PodStatusResult: {
    "": "A pod's status by itself, as old interfaces exchange it. Not served.",
    metadata: objectMetadata,
    status: "What was last seen of the pod.",
  },
  PodList: {
    "": "A list of pods.",
    metadata: listMetadata,
    items: "The requested pods.",
  },
  PodSignature: {
    "": "Identifies a group of pods by what they have in common.",
    podController: "Reference to the controller that manages the pods.",
  },
};
