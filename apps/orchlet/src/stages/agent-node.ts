import { formatDuration } from "@orchernetes/apimachinery";
import { isAppArmorEnabled } from "../admission/app-armor.ts";
import type { Config } from "../config.ts";
import { VolumesInUse } from "../csi/volumes-in-use.ts";
import { allocatableOf, type ResourceList } from "../node/capacity.ts";
import type { NodeHealth } from "../node/conditions.ts";
import { createNodeController, type NodeController } from "../node/node-controller.ts";
import { keepNodeLease } from "../node/node-lease.ts";
import { hasNewResources, type NodeIdentity } from "../node/node-object.ts";
import { observeNode, RuntimeContact } from "../node/observe-node.ts";
import { followOwnNode, type OwnNode } from "../node/own-node.ts";
import { NetworkState } from "../runtime/network-state.ts";
import { PodCidr } from "../runtime/pod-cidr.ts";
import { RelistAge } from "../runtime/relist-age.ts";
import { type ShutdownState, shutdownErrors } from "../shutdown/shutdown-state.ts";
import { createLocalPathReclaimer } from "../volumes/plugins/reclaim-local-paths.ts";
import type { AgentApi, AgentHost } from "./agent-host.ts";

/**
 * Maximum time since the last successful relist of the runtime's pods; after it the node is NotReady. As for the
 * original's PLEG.
 */
const relistLimitMs = 180_000;

/** The agent's own node: its resources, its health and its object on the API server. */
export interface AgentNode {
  readonly allocatable: ResourceList;
  /** Time since the last successful relist of the runtime's pods. */
  readonly relist: RelistAge;
  readonly pressure: () => NodeHealth["pressure"];
  /** Sets the pressure that the node's conditions show. */
  readonly setPressure: (pressure: NodeHealth["pressure"]) => void;
  readonly ownNode: OwnNode;
  readonly shutdown: ShutdownState;
  /** Whether the network of pods works. */
  readonly network: NetworkState;
  /** Undefined without an API server. */
  readonly controller: NodeController | undefined;
  /** The attachable volumes in use, for the node's status. */
  readonly volumesInUse: VolumesInUse;
  /** Registers the node, then updates its status and renews its lease until the agent stops. */
  run(): readonly Promise<unknown>[];
}

/** Creates the observation of the node and the controller of its Node object. {@link AgentNode.run} registers the node. */
export function describeNode(host: AgentHost, api: AgentApi | undefined): AgentNode {
  const { config, clock, logger, machine, signal, resources } = host;
  const { settings } = config;
  const identity = identityOf(host);
  const allocatable = allocatableOf(machine, identity.reservations);
  const relist = new RelistAge(clock);
  const shutdown: ShutdownState = { isShuttingDown: false };
  let shown: NodeHealth["pressure"] = { memory: false, disk: false, pids: false };
  const pressure = () => shown;
  const volumesInUse = new VolumesInUse(() => controller?.wake());
  const network = new NetworkState(host.cri, clock);
  const controller: NodeController | undefined =
    api && nodeController(host, api, identity, { pressure, relist, shutdown, volumesInUse, network });
  const reclaimer =
    api &&
    createLocalPathReclaimer({ client: api.client, nodeName: config.nodeName, paths: host.paths, logger, signal });
  const podCidr = new PodCidr(host.cri, logger);
  const ownNode = followOwnNode({
    client: api?.client,
    identity,
    allocatable,
    devices: () => usableDevices(resources.devices),
    logger,
    onChange: ({ metadata, spec, status }) => {
      void podCidr.apply((spec.podCIDRs ?? (spec.podCIDR === undefined ? [] : [spec.podCIDR])).join());
      if (hasNewResources(status, resources.devices.amounts().capacity)) controller?.wake();
      reclaimer?.observe(metadata.annotations);
    },
  });
  resources.devices.onChange(() => controller?.wake());
  return {
    allocatable,
    relist,
    pressure,
    setPressure(now) {
      shown = now;
      // The scheduler should see the condition before it binds more pods to the node.
      controller?.wake();
    },
    ownNode,
    ...{ shutdown, network },
    controller,
    volumesInUse,
    run: () =>
      api === undefined || controller === undefined
        ? [podCidr.keep(settings.podCIDR, clock, signal)]
        : [controller.run(signal), keepLease(host, api, controller), ownNode.run(signal)],
  };
}

/** Devices that pods may use: the healthy ones, but at least as many as pods use already. */
function usableDevices({ amounts, inUse }: AgentHost["resources"]["devices"]): ResourceList {
  const used = inUse();
  return Object.fromEntries(
    Object.entries(amounts().allocatable).map(([resource, count]) => [
      resource,
      String(Math.max(Number(count), used[resource] ?? 0)),
    ]),
  );
}

function identityOf({ config, machine, paths }: AgentHost): NodeIdentity {
  const { settings } = config;
  return {
    name: config.nodeName,
    ips: config.nodeIPs,
    labels: config.nodeLabels,
    localVolumes: paths.localVolumes,
    taints: settings.registerWithTaints,
    unschedulable: !config.registerSchedulable,
    providerID: settings.providerID,
    cloud: config.cloud,
    attachByController: settings.enableControllerAttachDetach,
    keepTerminatedPodVolumes: config.keepTerminatedPodVolumes,
    port: settings.port,
    machine,
    reservations: {
      maxPods: settings.maxPods,
      podsPerCore: settings.podsPerCore,
      systemReserved: settings.systemReserved,
      orchReserved: settings.orchReserved,
      reservedSystemCPUs: settings.reservedSystemCPUs,
      evictionHard: reservedByEviction(config),
      localStorageCapacityIsolation: settings.localStorageCapacityIsolation,
    },
  };
}

/** The hard thresholds that are subtracted from the allocatable resources. */
export const reservedByEviction = ({ settings, allocatableIgnoresEviction = false }: Config) =>
  allocatableIgnoresEviction ? {} : settings.evictionHard;

/** The node as the object of an event. */
export const nodeReference = (name: string) => ({ kind: "Node", name, uid: name });

function nodeController(
  { config, cri, clock, logger, resources }: AgentHost,
  { client, events }: AgentApi,
  identity: NodeIdentity,
  {
    pressure,
    relist,
    shutdown,
    volumesInUse,
    network,
  }: Pick<AgentNode, "pressure" | "relist" | "shutdown" | "volumesInUse" | "network">,
): NodeController {
  const { settings, nodeName } = config;
  const relistErrors = (): readonly string[] => {
    const agoMs = relist.agoMs();
    if (agoMs < relistLimitMs) return [];
    return [
      `PLEG is not healthy: pleg was last seen active ${formatDuration(agoMs)} ago; threshold is ${formatDuration(relistLimitMs)}`,
    ];
  };
  const contact = new RuntimeContact(clock);
  const hasAppArmor = isAppArmorEnabled();
  return createNodeController({
    client,
    identity,
    register: settings.registerNode,
    observe: () =>
      observeNode({
        ...{ cri, network, contact, hasAppArmor },
        pressure,
        maxImages: settings.nodeStatusMaxImages,
        errors: () => [...relistErrors(), ...shutdownErrors(shutdown)],
        devices: () => resources.devices.amounts(),
        volumesInUse: () => volumesInUse.list(),
      }),
    updateMs: settings.nodeStatusUpdateFrequency,
    reportMs: settings.nodeStatusReportFrequency,
    clock,
    logger,
    onTransition: (reason) =>
      events.event(nodeReference(nodeName), "Normal", reason, `Node ${nodeName} status is now: ${reason}`),
    onReboot: (bootId) =>
      events.event(
        nodeReference(nodeName),
        "Warning",
        "Rebooted",
        `Node ${nodeName} has been rebooted, boot id: ${bootId}`,
      ),
  });
}

const keepLease = ({ config, clock, logger, signal }: AgentHost, { client }: AgentApi, node: NodeController) =>
  keepNodeLease({
    client,
    nodeName: config.nodeName,
    nodeUid: () => node.node?.metadata.uid,
    durationSeconds: config.settings.nodeLeaseDurationSeconds,
    clock,
    logger,
    signal,
  });
