import { core } from "@orchernetes/api";
import { type Client, createInformer } from "@orchernetes/client";
import type { Logger } from "@orchernetes/kernel";
import type { ResourceList } from "./capacity.ts";
import { type NodeIdentity, nodeInfoOf, nodeLabels } from "./node-object.ts";

/** The Node object of this node. */
export interface OwnNode {
  /** The last observed state; before registration, the state that will be registered. */
  current(): core.Node;
  /**
   * Reads the object from the API server; undefined without one.
   *
   * @throws ApiError; the signal's reason, or that of a 5 s limit
   */
  fresh(signal: AbortSignal): Promise<core.Node | undefined>;
  /** Watches the object until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

/** Limit for reading the object: a pod waits for the result. */
const freshMs = 5000;

/**
 * Follows the Node object of this node with an informer.
 *
 * @param onChange called when the object has changed on the API server
 */
export function followOwnNode(options: {
  readonly client: Client | undefined;
  readonly identity: NodeIdentity;
  readonly allocatable: ResourceList;
  /** Numbers of devices that pods may have, by resource. @default none */
  readonly devices?: () => ResourceList;
  readonly logger: Logger;
  readonly onChange: (node: core.Node) => void;
}): OwnNode {
  const { client, identity, allocatable, devices, logger, onChange } = options;
  const { name, machine, taints } = identity;
  const informer =
    client === undefined
      ? undefined
      : createInformer(client, core.nodes, { fieldSelector: `metadata.name=${name}`, logger });
  informer?.addHandler({ onAdd: onChange, onUpdate: (_, node) => onChange(node) });

  const unregistered: core.Node = {
    kind: "Node",
    apiVersion: "v1",
    metadata: { name, labels: nodeLabels(identity) },
    spec: { taints: [...taints] },
    status: {
      daemonEndpoints: { orchletEndpoint: { Port: identity.port } },
      nodeInfo: nodeInfoOf(machine, ""),
    },
  };
  /**
   * Replaces the amounts by the agent's own: after a restart, the API server may still have those of an earlier
   * configuration.
   */
  const withOwnAmounts = (node: core.Node): core.Node => ({
    ...node,
    status: {
      ...node.status,
      allocatable: { ...node.status.allocatable, ...allocatable, ...devices?.() },
      nodeInfo: { ...node.status.nodeInfo, operatingSystem: machine.operatingSystem },
    },
  });

  return {
    current: () => withOwnAmounts(informer?.lister.get("", name) ?? unregistered),
    async fresh(signal) {
      if (client === undefined) return undefined;
      const limit = AbortSignal.any([signal, AbortSignal.timeout(freshMs)]);
      return withOwnAmounts(await client.resource(core.nodes).get(name, { signal: limit }));
    },
    run: (signal) => informer?.run(signal) ?? Promise.resolve(),
  };
}
