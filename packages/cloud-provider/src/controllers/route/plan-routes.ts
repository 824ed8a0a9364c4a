import { type Cidr, equalJson, parseCidr } from "@orchernetes/apimachinery";
import type { CloudNode, Route } from "../../provider/cloud-provider.ts";
import { overlaps } from "./cluster-cidrs.ts";
import { judgeRanges } from "./judge-ranges.ts";

/** A route that a node needs. */
export interface WantedRoute {
  readonly node: CloudNode;
  readonly cidr: string;
}

/** What is to be done about routes. */
export interface RoutePlan {
  readonly deletions: readonly Route[];
  readonly creations: readonly WantedRoute[];
  /** Routes that nodes lack and do not get: their ranges lie outside those of the cluster, or are those of older nodes. */
  readonly refused: readonly WantedRoute[];
  /** Whether routes are deleted before others are created: a route may be replaced by one of its range. */
  readonly inOrder: boolean;
  /** Nodes whose condition NetworkUnavailable follows their routes, with the ranges that they need; none: there is no route to the node's pods. */
  readonly nodes: ReadonlyMap<CloudNode, readonly string[]>;
  /** Routes whose range cannot be parsed; they are left alone. */
  readonly unreadable: readonly Route[];
}

/** Whether the route's addresses are those of its node, or do not matter. */
const isCurrent = (route: Route, { status }: CloudNode): boolean => {
  if (!route.enableNodeAddresses) return true;
  const addresses = status?.addresses ?? [];
  const own = route.targetNodeAddresses;
  return own.length === addresses.length && addresses.every((a) => own.some((b) => equalJson({ ...a }, { ...b })));
};

/** Decides which routes to delete and create. Routes outside the cluster's ranges are left alone. Pure. */
export function planRoutes(
  nodes: readonly CloudNode[],
  routes: readonly Route[],
  clusterCidrs: readonly Cidr[],
): RoutePlan {
  const byNode = Map.groupBy(routes, ({ targetNode }) => targetNode);
  const verdicts = judgeRanges(nodes, clusterCidrs);
  const kept = new Set<Route>();
  const creations: WantedRoute[] = [];
  const refused: WantedRoute[] = [];
  const conditions = new Map<CloudNode, readonly string[]>();
  for (const node of nodes) {
    const cidrs = node.spec?.podCIDRs ?? [];
    const own = byNode.get(node.metadata.name) ?? [];
    if (cidrs.length > 0 || own.length > 0) conditions.set(node, cidrs);
    for (const cidr of cidrs) {
      const verdict = verdicts.get(node)?.get(cidr);
      if (verdict === "taken") {
        refused.push({ node, cidr });
        continue;
      }
      const same = own.filter(({ destinationCIDR }) => destinationCIDR === cidr);
      const [first] = same;
      if (first !== undefined && isCurrent(first, node)) for (const route of same) kept.add(route);
      else (verdict === "usable" ? creations : refused).push({ node, cidr });
    }
  }
  const unreadable: Route[] = [];
  const deletions = routes.filter((route) => {
    const range = parseCidr(route.destinationCIDR);
    if (range === undefined) unreadable.push(route);
    const isOurs = range !== undefined && clusterCidrs.some((cluster) => overlaps(cluster, range));
    return isOurs && (route.blackhole || !kept.has(route));
  });
  const inOrder = routes[0]?.enableNodeAddresses ?? false;
  return { deletions, creations, refused, inOrder, nodes: conditions, unreadable };
}
