import { core } from "@orchernetes/api";
import { version } from "@orchernetes/component";
import { isConditionTrue, localPathFolder } from "@orchernetes/component-helpers";
import { allocatableOf, capacityOf, type Reservations } from "./capacity.ts";
import { type NodeHealth, nodeConditions } from "./conditions.ts";
import type { MachineInfo } from "./machine-info.ts";

/** The properties of a cloud's node that the cloud controller needs. */
export interface CloudIdentity {
  /** Addresses of `--node-ip` that the cloud must confirm; "" without the flag. */
  readonly providedIp: string;
}

/** The properties of the node that do not change while the agent runs. */
export interface NodeIdentity {
  readonly name: string;
  readonly ips: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  /** The folder of volumes on this node; "" for none. */
  readonly localVolumes: string;
  readonly taints: readonly core.Taint[];
  readonly unschedulable: boolean;
  readonly providerID: string;
  /** Set with `--cloud-provider=external`: a cloud controller initializes the node. */
  readonly cloud?: CloudIdentity | undefined;
  /** Whether the controller manager attaches volumes to the node. @default true */
  readonly attachByController?: boolean | undefined;
  /** Whether volumes of pods that have ended stay mounted. @default false */
  readonly keepTerminatedPodVolumes?: boolean | undefined;
  /** Port of the agent's server. */
  readonly port: number;
  readonly machine: MachineInfo;
  readonly reservations: Reservations;
}

/** Numbers of devices by resource. */
export interface NodeDevices {
  readonly capacity: Readonly<Record<string, string>>;
  readonly allocatable: Readonly<Record<string, string>>;
}

/** The properties of the node that change. */
export interface NodeObservation {
  readonly health: NodeHealth;
  /** Such as `containerd://1.6.20`; "" while the runtime is unavailable. */
  readonly runtimeVersion: string;
  readonly images: readonly core.ContainerImage[];
  /** The devices of plugins. @default none */
  readonly devices?: NodeDevices;
  /** Names of volumes that must not be detached; undefined while that is not known, so that the list stays as it is. */
  readonly volumesInUse?: readonly string[] | undefined;
}

/** The well-known labels of the node, and those of `--node-labels`. */
export function nodeLabels({ name, machine, labels }: NodeIdentity): Readonly<Record<string, string>> {
  const { architecture, operatingSystem } = machine;
  return {
    "beta.orchernetes.io/arch": architecture,
    "beta.orchernetes.io/os": operatingSystem,
    "orchernetes.io/arch": architecture,
    "orchernetes.io/hostname": name.toLowerCase(),
    "orchernetes.io/os": operatingSystem,
    ...labels,
  };
}

/** On a Node: the controller manager attaches volumes to it. */
const attachedByController = "volumes.orchernetes.io/controller-managed-attach-detach";
/** On a Node: volumes of pods that have ended stay mounted, so that the controller must not detach them. */
const keepsVolumes = "volumes.orchernetes.io/keep-terminated-pod-volumes";

/** Annotations that an agent with another configuration may have left: those that are not set are removed. */
export const optionalAnnotations: readonly string[] = [attachedByController, keepsVolumes];

/** The annotations that the agent sets. */
export function nodeAnnotations({
  localVolumes,
  cloud,
  attachByController = true,
  keepTerminatedPodVolumes = false,
}: NodeIdentity): Readonly<Record<string, string>> {
  const providedIp = cloud?.providedIp ?? "";
  return {
    ...(attachByController && { [attachedByController]: "true" }),
    ...(keepTerminatedPodVolumes && { [keepsVolumes]: "true" }),
    ...(localVolumes !== "" && { [localPathFolder]: localVolumes }),
    ...(providedIp !== "" && { "alpha.orchernetes.io/provided-node-ip": providedIp }),
  };
}

/** The node's `status.nodeInfo`. */
export function nodeInfoOf(machine: MachineInfo, containerRuntimeVersion: string): core.NodeSystemInfo {
  const { machineID, systemUUID, bootID, kernelVersion, osImage, operatingSystem, architecture } = machine;
  return {
    machineID,
    systemUUID,
    bootID,
    kernelVersion,
    osImage,
    containerRuntimeVersion,
    orchletVersion: version.gitVersion,
    orchProxyVersion: version.gitVersion,
    operatingSystem,
    architecture,
  };
}

/** Keeps pods away until a cloud controller has initialized the node; that removes it. */
const uninitialized: core.Taint = {
  key: "node.cloudprovider.orchernetes.io/uninitialized",
  value: "true",
  effect: "NoSchedule",
};

const notReadyTaint = "node.orchernetes.io/not-ready";

/** The Node object to register. */
export function newNode(identity: NodeIdentity, observation: NodeObservation, now: Date): core.Node {
  const { unschedulable, providerID, name, cloud } = identity;
  const taints = cloud === undefined ? identity.taints : [...identity.taints, uninitialized];
  const seen = new Set(taints.map(({ key, effect }) => `${key}:${effect}`));
  const status = nodeStatus(identity, observation, undefined, now);
  // Keeps pods away until the node is ready for the first time; the node lifecycle controller removes the taint.
  const notReady: core.Taint = { key: notReadyTaint, effect: "NoSchedule" };
  const ready = isConditionTrue(status.conditions, "Ready");
  const own = ready || seen.has(`${notReadyTaint}:NoSchedule`) ? [] : [notReady];
  return {
    kind: "Node",
    apiVersion: "v1",
    metadata: {
      name,
      labels: nodeLabels(identity),
      annotations: nodeAnnotations(identity),
    },
    spec: {
      ...(unschedulable ? { unschedulable } : {}),
      ...(providerID === "" ? {} : { providerID }),
      ...(taints.length + own.length === 0 ? {} : { taints: [...taints, ...own] }),
    },
    status,
  };
}

/**
 * The status of the node. Pure. Fields, conditions and resources of other writers are kept.
 *
 * @param shown status of the Node object now; undefined before registration
 */
export function nodeStatus(
  identity: NodeIdentity,
  { health, runtimeVersion, images, volumesInUse, devices }: NodeObservation,
  shown: core.NodeStatus | undefined,
  now: Date,
): core.NodeStatus {
  const { name, ips, machine, reservations, port } = identity;
  // Extended resources of other writers are kept; all of their capacity is allocatable.
  const capacity = { ...shown?.capacity, ...capacityOf(machine, reservations), ...devices?.capacity };
  const own: readonly core.NodeAddress[] = [
    ...ips.map((address) => ({ type: "InternalIP", address }) as const),
    { type: "Hostname", address: name },
  ];
  const known = shown?.addresses ?? [];
  // Those that a cloud controller has set stay.
  const addresses = identity.cloud !== undefined && known.length > 0 ? known : own;
  return {
    ...shown,
    addresses,
    capacity,
    allocatable: { ...capacity, ...allocatableOf(machine, reservations), ...devices?.allocatable },
    conditions: nodeConditions(health, shown?.conditions ?? [], now),
    daemonEndpoints: { orchletEndpoint: { Port: port } },
    nodeInfo: nodeInfoOf(machine, runtimeVersion || (shown?.nodeInfo?.containerRuntimeVersion ?? "")),
    ...(images.length === 0 ? {} : { images }),
    // The API server leaves out empty lists: writing one each time would be a change each time.
    ...(volumesInUse !== undefined && (volumesInUse.length > 0 || (shown?.volumesInUse ?? []).length > 0)
      ? { volumesInUse: [...volumesInUse] }
      : {}),
  };
}

/**
 * Whether another writer has changed the capacity of an extended resource, and `allocatable` does not reflect it yet.
 *
 * @param devices resources of device plugins, which may have devices that are not allocatable
 */
export function hasNewResources(
  { capacity = {}, allocatable = {} }: core.NodeStatus,
  devices: Readonly<Record<string, string>> = {},
): boolean {
  const names = new Set([...Object.keys(capacity), ...Object.keys(allocatable)]);
  return [...names].some(
    (name) => core.isExtendedResource(name) && devices[name] === undefined && capacity[name] !== allocatable[name],
  );
}

/** The status without heartbeat times, for comparing two statuses. */
export function withoutHeartbeats(status: core.NodeStatus): core.NodeStatus {
  return {
    ...status,
    conditions: (status.conditions ?? []).map(({ lastHeartbeatTime: _, ...condition }) => condition),
  };
}
