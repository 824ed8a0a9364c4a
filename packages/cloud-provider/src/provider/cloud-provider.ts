import type { core } from "@orchernetes/api";
import type { ApiObject, Stored } from "@orchernetes/apimachinery";
import type { Indexers, Informer, ResourceRef } from "@orchernetes/client";
import type { CloudResult } from "./cloud-result.ts";

/** A node as the API server has it. Providers must not modify it. */
export type CloudNode = Stored<core.Node>;

/** A service as the API server has it. Providers must not modify it. */
export type CloudService = Stored<core.Service>;

/** The circumstances of a call. */
export interface CallContext {
  /** Aborts at the deadline, and when the caller stops. A provider should then end the call; the framework no longer waits for it. */
  readonly signal: AbortSignal;
  /** When the caller gives up: milliseconds since the Unix epoch. */
  readonly deadlineMs: number;
  /** Name of the cluster (`--cluster-name`), for names of things in the cloud. */
  readonly clusterName: string;
}

/**
 * A cloud that nodes and load balancers live in. Every part is optional: the controllers that need a part that is missing do not run.
 *
 * The framework calls it as follows. A call has a deadline; at most one call at a time is about one service, and one about one node in
 * each controller; calls about different objects run side by side. Calls are repeated after errors and after restarts, so all of them
 * must be idempotent. Answers are checked: one with a wrong form counts as an error.
 */
export interface CloudProvider {
  /** Its name, which provider IDs usually begin with, e.g. `local` in `local://node-1`. */
  readonly name: string;
  readonly instances?: Instances | undefined;
  /** Asked for the zone of a node if the metadata of instances has none. */
  readonly zones?: Zones | undefined;
  readonly loadBalancers?: LoadBalancers | undefined;
  readonly routes?: Routes | undefined;
  readonly clusters?: Clusters | undefined;
  /**
   * Whether the things of this cluster can be told from those of others, e.g. because they are tagged. Without it the manager ends,
   * unless `--allow-untagged-cloud` is set.
   * @default true
   */
  readonly hasClusterID?: boolean | undefined;
  /**
   * Work of the provider's own that runs while the manager leads, until the signal aborts. A rejection ends the process.
   * @default none
   */
  run?(signal: AbortSignal): Promise<void>;
  /** Ends its connections. Called once, when the process ends. */
  close?(): Promise<void> | void;
}

/** The machines that nodes run on. */
export interface Instances {
  /**
   * Whether the machine of a node exists, also if it is stopped. The node of a machine that does not exist is deleted while it is not
   * ready: in doubt, return an error.
   */
  exists(node: CloudNode, context: CallContext): Promise<CloudResult<boolean>>;
  /** Whether the machine of a node is shut down. Its node then gets a taint, and volumes are detached. */
  isShutDown(node: CloudNode, context: CallContext): Promise<CloudResult<boolean>>;
  /**
   * The properties of the machine of a node. Look for it by `spec.providerID`, and by other properties of the node if that is empty.
   * Undefined if there is nothing to say about the node yet: it then stays uninitialized.
   */
  metadata(node: CloudNode, context: CallContext): Promise<CloudResult<InstanceMetadata | undefined>>;
}

/** The properties of a machine. Empty texts mean unknown. */
export interface InstanceMetadata {
  /** Becomes the node's `spec.providerID` if that is empty; usually `<provider>://<id>`. */
  readonly providerID: string;
  /** Label `node.orchernetes.io/instance-type`. */
  readonly instanceType: string;
  /** Label `topology.orchernetes.io/zone`. */
  readonly zone: string;
  /** Label `topology.orchernetes.io/region`. */
  readonly region: string;
  /** Become the node's `status.addresses`; none: the node keeps its own. */
  readonly addresses: readonly core.NodeAddress[];
}

/** A place. Empty texts mean unknown. */
export interface Zone {
  readonly zone: string;
  readonly region: string;
}

/** The places of nodes. */
export interface Zones {
  ofNode(node: CloudNode, context: CallContext): Promise<CloudResult<Zone>>;
}

/** The load balancers in front of services of type LoadBalancer. */
export interface LoadBalancers {
  /** The status of the service's load balancer; undefined if there is none. */
  get(service: CloudService, context: CallContext): Promise<CloudResult<core.LoadBalancerStatus | undefined>>;
  /** The name of the service's load balancer in the cloud, whether it exists or not. The same at every call. */
  name(service: CloudService, context: CallContext): Promise<CloudResult<string>>;
  /**
   * Creates the load balancer, or updates it to the service and the nodes. `ImplementedElsewhere`: another controller does.
   *
   * @param nodes those that may receive traffic; may be empty
   */
  ensure(
    service: CloudService,
    nodes: readonly CloudNode[],
    context: CallContext,
  ): Promise<CloudResult<core.LoadBalancerStatus>>;
  /** Updates the nodes of an existing load balancer. The status is that after the update; undefined if it is unchanged. */
  update(
    service: CloudService,
    nodes: readonly CloudNode[],
    context: CallContext,
  ): Promise<CloudResult<core.LoadBalancerStatus | undefined>>;
  /** Deletes the load balancer with everything that belongs to it. Succeeds if there is none. */
  ensureDeleted(service: CloudService, context: CallContext): Promise<CloudResult<undefined>>;
  /**
   * Called once before anything is synced, for providers whose load balancers depend on more than services and nodes. Synchronous.
   *
   * @param informer a shared informer, which syncs before the first call
   * @param changed to be called with the key of a service, `namespace/name`, that is to be synced again
   */
  follow?(informer: InformerSource, changed: (key: string) => void): void;
}

/** Returns the shared informer of a resource. */
export type InformerSource = <T extends ApiObject>(ref: ResourceRef<T>, indexers?: Indexers<T>) => Informer<T>;

/** A route of the cloud's network to the pods of a node. */
export interface Route {
  /** Its name in the cloud; "" for a route to be created. */
  readonly name: string;
  /** Name of the node; "" if none is known. */
  readonly targetNode: string;
  /** Addresses of the node that the route leads to. */
  readonly targetNodeAddresses: readonly core.NodeAddress[];
  /** Whether the addresses matter: the route is then created again when those of the node change. */
  readonly enableNodeAddresses: boolean;
  /** The range of pod addresses, in CIDR form. */
  readonly destinationCIDR: string;
  /** Leads nowhere, e.g. because its machine is gone: it is deleted. */
  readonly blackhole: boolean;
}

/** The routes to the pods of nodes. */
export interface Routes {
  /** All routes of the cluster. */
  list(context: CallContext): Promise<CloudResult<readonly Route[]>>;
  /** @param nameHint from which the provider may make the route's name */
  create(nameHint: string, route: Route, context: CallContext): Promise<CloudResult<undefined>>;
  /** @param route as {@link Routes.list} returned it. Succeeds if there is none. */
  delete(route: Route, context: CallContext): Promise<CloudResult<undefined>>;
}

/** The clusters that the cloud knows. No controller asks for them. */
export interface Clusters {
  list(context: CallContext): Promise<CloudResult<readonly string[]>>;
  /** Name or address of a cluster's API server. */
  address(cluster: string, context: CallContext): Promise<CloudResult<string>>;
}

/**
 * The usual name of a load balancer: "a" and the service's uid without hyphens, 32 characters at most, as several clouds require.
 */
export function defaultLoadBalancerName({ metadata }: CloudService): string {
  return `a${metadata.uid}`.replaceAll("-", "").slice(0, 32);
}
