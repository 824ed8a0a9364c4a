import { core } from "@orchernetes/api";
import { version } from "@orchernetes/component";
import { isConditionTrue } from "@orchernetes/component-helpers";
import { allocatableOf, capacityOf, type Reservations } from "./capacity.ts";
import { type NodeHealth, nodeConditions } from "./conditions.ts";
import type { MachineInfo } from "./machine-info.ts";

/** What is fixed about the node while the agent runs. */
export interface NodeIdentity {
  readonly name: string;
  readonly ips: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly core.Taint[];
  readonly unschedulable: boolean;
  readonly providerID: string;
  /** Port of the agent's server. */
  readonly port: number;
  readonly machine: MachineInfo;
  readonly reservations: Reservations;
}

/** What changes about it. */
export interface NodeObservation {
  readonly health: NodeHealth;
  /** Such as `containerd://1.6.20`; "" while the runtime is away. */
  readonly runtimeVersion: string;
  readonly images: readonly core.ContainerImage[];
}

/** Labels that every node has, and those it was told to have. */
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

/** What the machine is. */
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

const notReadyTaint = "node.orchernetes.io/not-ready";

/** The Node object to register. */
export function newNode(identity: NodeIdentity, observation: NodeObservation, now: Date): core.Node {
  const { taints, unschedulable, providerID, name } = identity;
  const seen = new Set(taints.map(({ key, effect }) => `${key}:${effect}`));
  const status = nodeStatus(identity, observation, undefined, now);
  // Until the node has once been ready, pods are kept away; the controllers take this taint off.
  const notReady: core.Taint = { key: notReadyTaint, effect: "NoSchedule" };
  const ready = isConditionTrue(status.conditions, "Ready");
  const own = ready || seen.has(`${notReadyTaint}:NoSchedule`) ? [] : [notReady];
  return {
    kind: "Node",
    apiVersion: "v1",
    metadata: {
      name,
      labels: nodeLabels(identity),
      annotations: { "volumes.orchernetes.io/controller-managed-attach-detach": "true" },
    },
    spec: {
      ...(unschedulable ? { unschedulable } : {}),
      ...(providerID === "" ? {} : { providerID }),
      ...(taints.length + own.length === 0 ? {} : { taints: [...taints, ...own] }),
    },
    status,
  };
}

/** The status of the node. Pure; what others keep in it stays. */
export function nodeStatus(
  identity: NodeIdentity,
  { health, runtimeVersion, images }: NodeObservation,
  shown: core.NodeStatus | undefined,
  now: Date,
): core.NodeStatus {
  const { name, ips, machine, reservations, port } = identity;
  // Resources that others have put there, such as those of devices, stay; what a node has of them pods may use.
  const capacity = { ...shown?.capacity, ...capacityOf(machine, reservations) };
  const addresses: readonly core.NodeAddress[] = [
    ...ips.map((address) => ({ type: "InternalIP", address }) as const),
    { type: "Hostname", address: name },
  ];
  return {
    ...shown,
    addresses,
    capacity,
    allocatable: { ...capacity, ...allocatableOf(machine, reservations) },
    conditions: nodeConditions(health, shown?.conditions ?? [], now),
    daemonEndpoints: { orchletEndpoint: { Port: port } },
    nodeInfo: nodeInfoOf(machine, runtimeVersion || (shown?.nodeInfo?.containerRuntimeVersion ?? "")),
    ...(images.length === 0 ? {} : { images }),
  };
}

/** Whether an extended resource was added to or removed from the capacity and allocatable does not reflect it yet. */
export function hasNewResources({ capacity = {}, allocatable = {} }: core.NodeStatus): boolean {
  const names = new Set([...Object.keys(capacity), ...Object.keys(allocatable)]);
  return [...names].some((name) => core.isExtendedResource(name) && capacity[name] !== allocatable[name]);
}

/** The status without the times of its heartbeats: equal when there is nothing new to report. */
export function withoutHeartbeats(status: core.NodeStatus): core.NodeStatus {
  return {
    ...status,
    conditions: (status.conditions ?? []).map(({ lastHeartbeatTime: _, ...condition }) => condition),
  };
}
