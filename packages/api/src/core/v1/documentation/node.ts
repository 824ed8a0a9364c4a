import type { TypeDocumentation } from "@orchernetes/apimachinery";
import {
  conditionMessage,
  conditionReason,
  conditionStatus,
  conditionTransition,
  listMetadata,
  objectMetadata,
} from "./phrases.ts";

const removed = "Removed in 1.24 together with dynamic configuration; dropped from what clients write.";

/** Texts of the types in `types/node.ts`. */
export const documentation: TypeDocumentation = {
  NodeSpec: {
    "": "What is wanted of a node.",
    podCIDR: "Range of addresses for the node's pods, the first of podCIDRs. Can be set once.",
    podCIDRs: "Ranges of addresses for the node's pods, at most one for each IP family. Can be set once.",
    providerID: "Cloud provider's identifier of the machine, as PROVIDER://ID. Can be set once.",
    unschedulable:
      "If true, the scheduler places no more pods on the node, and it gets the taint node.orchernetes.io/unschedulable. Pods that run there stay. Default false.",
    taints:
      "Taints that keep pods off the node, or evict them, unless the pods tolerate them. Each pair of key and effect occurs once.",
    configSource: `Where the orchlet took its configuration from. Deprecated. ${removed}`,
    externalID: "Identifier of the machine from before providerID. Deprecated; kept so that old nodes can be read.",
  },
  NodeConfigSource: {
    "": `Where an orchlet's configuration comes from. Deprecated. ${removed}`,
    configMap: "The config map that holds the configuration.",
  },
  ConfigMapNodeConfigSource: {
    "": `A value of a config map that holds an orchlet's configuration. Deprecated. ${removed}`,
    namespace: "Namespace of the config map.",
    name: "Name of the config map.",
    uid: "UID of the config map. Only in a node's status.",
    resourceVersion: "Resource version of the config map. Only in a node's status.",
    orchletConfigKey: "Key of the value that holds the configuration.",
  },
  DaemonEndpoint: {
    "": "Where a daemon of a node listens.",
    Port: "Port number of the daemon. Written with a capital letter, for historical reasons.",
  },
  NodeDaemonEndpoints: {
    "": "Where the daemons of a node listen.",
    orchletEndpoint:
      "Where the orchlet's HTTPS server listens, at the node's address. orch-apiserver connects to it for logs, exec and the like.",
  },
  NodeSystemInfo: {
    "": "Identifiers and versions of a node's machine and software.",
    machineID: "Identifier of the operating system's installation, from /etc/machine-id.",
    systemUUID: "Identifier of the machine, as its firmware reports it.",
    bootID: "Identifier of the current boot. It changes when the machine is restarted.",
    kernelVersion: "Version of the kernel, as uname -r shows it.",
    osImage: "Name of the operating system, from /etc/os-release.",
    containerRuntimeVersion: "Container runtime and its version, as NAME://VERSION.",
    orchletVersion: "Version of the orchlet.",
    orchProxyVersion: "Version of the service proxy. Reported by the orchlet, which puts in its own.",
    operatingSystem: "Operating system: linux or windows.",
    architecture: "Architecture of the processor, such as amd64 or arm64.",
  },
  NodeConfigStatus: {
    "": `Which configuration an orchlet was given and which it uses. Deprecated. ${removed}`,
    assigned: "The configuration that the orchlet was given and tries to use.",
    active: "The configuration that the orchlet uses.",
    lastKnownGood: "The configuration that the orchlet falls back to if the one given does not work.",
    error: "Why the configuration given is not in use.",
  },
  NodeStatus: {
    "": "What was last seen of a node. Mostly written by its orchlet.",
    capacity: "Total resources of the node, by resource name: cpu, memory, ephemeral-storage, pods and so on.",
    allocatable:
      "The part of the capacity that pods can use, after what is reserved for the system and the orchlet. Equals capacity by default.",
    phase: "Formerly the phase of the node's life cycle. Deprecated; never set.",
    conditions:
      "Findings about the node: Ready, MemoryPressure, DiskPressure, PIDPressure and NetworkUnavailable. If the orchlet stops reporting, the node lifecycle controller sets them to Unknown.",
    addresses:
      "Addresses at which the node can be reached, by type. Reported by the cloud provider, or determined by the orchlet.",
    daemonEndpoints: "Where the node's daemons listen.",
    nodeInfo: "Identifiers and versions of the node's machine and software.",
    images: "Images on the node, the largest first and at most as many as the orchlet's nodeStatusMaxImages says.",
    volumesInUse: "Names of attachable volumes that the node uses, or is about to use. They are not to be detached.",
    volumesAttached: "Volumes that are attached to the node.",
    config: `Which configuration the orchlet uses. Deprecated. ${removed}`,
  },
  AttachedVolume: {
    "": "A volume that is attached to a node.",
    name: "Name of the volume, with that of its driver.",
    devicePath: "Path on the node of the volume's device. Empty if the driver does not report it.",
  },
  AvoidPods: {
    "": "Pods that a node prefers not to run. It was stored in an annotation of nodes that no scheduler reads any more.",
    preferAvoidPods: "One entry for each group of pods.",
  },
  PreferAvoidPodsEntry: {
    "": "A group of pods that a node prefers not to run. No longer in use.",
    podSignature: "The group of pods.",
    evictionTime: "When the entry was added.",
    reason: "Why the pods are to be avoided, as a word in CamelCase.",
    message: "A human-readable reason why the pods are to be avoided.",
  },
  NodeCondition: {
    "": "One finding about a node.",
    type: "What was found: Ready, MemoryPressure, DiskPressure, PIDPressure, NetworkUnavailable, or something that other tools report.",
    status: conditionStatus,
    lastHeartbeatTime: "When the condition was last confirmed, changed or not.",
    lastTransitionTime: conditionTransition,
    reason: conditionReason,
    message: conditionMessage,
  },
  NodeAddress: {
    "": "One address of a node.",
    type: "Kind of address: Hostname, InternalIP, ExternalIP, InternalDNS or ExternalDNS.",
    address: "The address or name.",
  },
  Node: {
    "": "A machine of the cluster, on which an orchlet runs pods.",
    metadata: `${objectMetadata} Labels such as orchernetes.io/hostname and topology.orchernetes.io/zone describe the node and where it is.`,
    spec: "What is wanted of the node.",
    status: "What was last seen of the node.",
  },
  NodeList: {
    "": "A list of nodes.",
    metadata: listMetadata,
    items: "The requested nodes.",
  },
  NodeResources: {
    "": "What a node has. Not part of any object that is served.",
    Capacity: "Amounts by resource name. Written with a capital letter, for historical reasons.",
  },
};
