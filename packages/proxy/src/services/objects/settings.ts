import type { IpFamily } from "./addresses.ts";

/** How a node routes the traffic of services. Fixed for the life of a table: other settings are another table. */
export interface ServiceSettings {
  /** Name of the table. Default: `orch-proxy`. */
  readonly tableName?: string;
  /** Name of the node: an endpoint with this `nodeName` is local. */
  readonly nodeName: string;
  /** Families that are routed. Default: both. */
  readonly families?: readonly IpFamily[];
  /** Replaces the source address of all traffic to cluster addresses by the node's. Default: false. */
  readonly masqueradeAll?: boolean;
  /** Bit of the packet mark that says between two hooks that the source is replaced, 0 to 31. Default: 14. */
  readonly masqueradeBit?: number;
  /** How traffic of this node's pods, or of all pods, is told from other traffic. Default: not at all. */
  readonly detectLocal?: DetectLocal;
  /** Ranges of the local addresses that serve node ports. Default: all addresses of a family without a range here. */
  readonly nodePortAddresses?: readonly string[];
  /** Whether 127.0.0.0/8 serves node ports. Default: true. It also needs the kernel setting `route_localnet`. */
  readonly localhostNodePorts?: boolean;
  /** Whether topology hints are followed (feature gate TopologyAwareHints). Default: true. */
  readonly topologyHints?: boolean;
  /**
   * Whether endpoints that still serve while they terminate are used where none is ready (feature gate ProxyTerminatingEndpoints).
   * Default: true.
   */
  readonly terminatingEndpoints?: boolean;
  /**
   * Addresses that are no service's external or load balancer's address, as the cluster addresses of all services are: those
   * that names are served at. Default: none.
   */
  readonly reservedAddresses?: readonly string[];
  /** Set where several nodes share a host. */
  readonly onlyNode?: OnlyNode;
}

/**
 * How traffic of pods is recognized. Traffic from elsewhere to a cluster address gets the node's source address, so that
 * answers come back through the node. Traffic of pods to external addresses ignores `externalTrafficPolicy`.
 */
export type DetectLocal =
  | { readonly mode: "None" }
  /** Source addresses of all pods (`ClusterCIDR`) or of this node's pods (`NodeCIDR`), a range or more of each family. */
  | { readonly mode: "ClusterCIDR" | "NodeCIDR"; readonly ranges: readonly string[] }
  /** The interface that pods are bridged by. */
  | { readonly mode: "BridgeInterface"; readonly name: string }
  | { readonly mode: "InterfaceNamePrefix"; readonly prefix: string };

/**
 * Limits a table to one of several nodes that share a host, its network namespace and its packet filter. Each of them has its
 * own table, and takes no traffic that is another one's.
 */
export interface OnlyNode {
  /** Interfaces through which this node's pods send. */
  readonly podInterfaces: readonly string[];
  /** This node's addresses: traffic to them is this node's, and only they serve its node ports. */
  readonly addresses: readonly string[];
  /** Whether the host's own traffic is this node's, and its loopback address serves this node's ports. One node's should be. */
  readonly hostTraffic: boolean;
}

/** What is known of the node, and may change. */
export interface NodeFacts {
  /** The label `topology.orchernetes.io/zone`. */
  readonly zone?: string | undefined;
  /**
   * Addresses of the node. They are no service's external addresses. A load balancer's source ranges with one of them let in
   * the load balancer's own address, too.
   */
  readonly addresses?: readonly string[];
  /** Port of the node's agent, which no load balancer has at the node's addresses. Default: none but the agents' usual one. */
  readonly agentPort?: number | undefined;
}
