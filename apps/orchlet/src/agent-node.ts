import { formatDuration } from "@orchernetes/apimachinery";
import type { AgentApi, AgentHost } from "./agent-host.ts";
import { allocatableOf, type ResourceList } from "./node/capacity.ts";
import type { NodeHealth } from "./node/conditions.ts";
import { createPressureMemory } from "./node/evict.ts";
import { createNodeController, type NodeController } from "./node/node-controller.ts";
import { keepNodeLease } from "./node/node-lease.ts";
import { hasNewResources, type NodeIdentity } from "./node/node-object.ts";
import { crossedSignals, observeNode, pressureOf, readSignals, type SignalReading } from "./node/observe-node.ts";
import { followOwnNode, type OwnNode } from "./node/own-node.ts";
import { RelistAge } from "./runtime/relist-age.ts";

/** After this long without a look at the runtime's pods the node is not ready. */
const relistLimitMs = 180_000;

/** The node that this agent is. */
export interface AgentNode {
  readonly allocatable: ResourceList;
  /** How long ago the runtime's pods were looked at. */
  readonly relist: RelistAge;
  /** Eviction signals that are beyond their thresholds now. */
  readonly crossed: () => readonly SignalReading[];
  readonly pressure: () => NodeHealth["pressure"];
  readonly ownNode: OwnNode;
  /** Undefined without an API server. */
  readonly controller: NodeController | undefined;
  /** Registers the node, and keeps its status and lease until the agent stops. */
  run(): readonly Promise<unknown>[];
}

/** What the node is and how it is. Nothing is registered yet. */
export function describeNode(host: AgentHost, api: AgentApi | undefined): AgentNode {
  const { config, clock, logger, machine, signal } = host;
  const { settings, rootDir } = config;
  const identity = identityOf(host);
  const allocatable = allocatableOf(machine, settings);
  const relist = new RelistAge(clock);
  const crossed = () => crossedSignals(readSignals(machine, rootDir), settings.evictionHard);
  const remembered = createPressureMemory(settings.evictionPressureTransitionPeriod);
  const pressure = () => pressureOf(remembered(crossed(), clock.monotonicMs()));
  const controller = api && nodeController(host, api, identity, { pressure, relist });
  const ownNode = followOwnNode({
    client: api?.client,
    identity,
    allocatable,
    logger,
    onChange: ({ status }) => {
      if (hasNewResources(status)) controller?.wake();
    },
  });
  return {
    allocatable,
    relist,
    crossed,
    pressure,
    ownNode,
    controller,
    run: () =>
      api === undefined || controller === undefined
        ? []
        : [controller.run(signal), keepLease(host, api, controller), ownNode.run(signal)],
  };
}

function identityOf({ config, machine }: AgentHost): NodeIdentity {
  const { settings } = config;
  return {
    name: config.nodeName,
    ips: config.nodeIPs,
    labels: config.nodeLabels,
    taints: settings.registerWithTaints,
    unschedulable: !config.registerSchedulable,
    providerID: settings.providerID,
    port: settings.port,
    machine,
    reservations: settings,
  };
}

/** The node as the object of an event. */
export const nodeReference = (name: string) => ({ kind: "Node", name, uid: name });

function nodeController(
  { config, cri, clock, logger }: AgentHost,
  { client, events }: AgentApi,
  identity: NodeIdentity,
  { pressure, relist }: Pick<AgentNode, "pressure" | "relist">,
): NodeController {
  const { settings, nodeName } = config;
  const relistErrors = (): readonly string[] => {
    const agoMs = relist.agoMs();
    if (agoMs < relistLimitMs) return [];
    return [
      `PLEG is not healthy: pleg was last seen active ${formatDuration(agoMs)} ago; threshold is ${formatDuration(relistLimitMs)}`,
    ];
  };
  return createNodeController({
    client,
    identity,
    register: settings.registerNode,
    observe: () => observeNode({ cri, pressure, maxImages: settings.nodeStatusMaxImages, errors: relistErrors }),
    updateMs: settings.nodeStatusUpdateFrequency,
    reportMs: settings.nodeStatusReportFrequency,
    clock,
    logger,
    onTransition: (reason) =>
      events.event(nodeReference(nodeName), "Normal", reason, `Node ${nodeName} status is now: ${reason}`),
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
