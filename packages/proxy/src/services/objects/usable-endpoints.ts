import type { Endpoint } from "./endpoints.ts";
import type { ServicePort } from "./service-ports.ts";

/** The endpoints of a port that traffic may go to from this node. */
export interface UsableEndpoints {
  /** For traffic policy Cluster; empty if the port never uses it. */
  readonly cluster: readonly Endpoint[];
  /** For traffic policy Local; empty if the port never uses it. */
  readonly local: readonly Endpoint[];
  /** Whether there is a usable endpoint anywhere in the cluster: both lists may be empty nevertheless. */
  readonly hasAny: boolean;
}

/** How endpoints are chosen. */
export interface EndpointRules {
  /** The node's zone; undefined: its services have no hints. */
  readonly zone: string | undefined;
  /** Whether terminating endpoints are used where none is ready. */
  readonly usesTerminating: boolean;
}

/**
 * Chooses the endpoints of a port. Ready ones are usable, and where there is none of them, those that are still serving while
 * they terminate (KEP-1669), for each policy on its own. Topology hints apply to policy Cluster (KEP-2433).
 */
export function usableEndpoints(
  endpoints: readonly Endpoint[],
  port: ServicePort,
  { zone, usesTerminating }: EndpointRules,
): UsableEndpoints {
  const usesCluster = !port.isInternalLocal || port.isExternallyAccessible;
  const usesLocal = port.isInternalLocal || (port.isExternalLocal && port.isExternallyAccessible);
  const choose = usesTerminating ? orTerminating : readyOnes;
  const usable = choose(endpoints);
  return {
    cluster: usesCluster ? inZone(usable, port, zone) : [],
    local: usesLocal ? choose(endpoints.filter(({ isLocal }) => isLocal)) : [],
    hasAny: usable.length > 0,
  };
}

const readyOnes = (endpoints: readonly Endpoint[]): readonly Endpoint[] => endpoints.filter(({ isReady }) => isReady);

function orTerminating(endpoints: readonly Endpoint[]): readonly Endpoint[] {
  const ready = readyOnes(endpoints);
  if (ready.length > 0) return ready;
  return endpoints.filter(({ isServing, isTerminating }) => isServing && isTerminating);
}

/** The ready endpoints with hints for the zone; all if one of them has no hints, or none is for the zone. */
function inZone(endpoints: readonly Endpoint[], { usesHints }: ServicePort, zone = ""): readonly Endpoint[] {
  if (!usesHints || zone === "") return endpoints;
  // Terminating endpoints, which are used where none is ready, are used regardless of hints.
  if (!endpoints.every(({ isReady, zones }) => isReady && zones.length > 0)) return endpoints;
  const near = endpoints.filter(({ zones }) => zones.includes(zone));
  return near.length > 0 ? near : endpoints;
}
