import { isConditionTrue } from "@orchernetes/component-helpers";
import type { CloudNode } from "../../provider/cloud-provider.ts";

/** Label of nodes that receive no traffic of load balancers, whatever its value. */
const EXCLUDE_LABEL = "node.orchernetes.io/exclude-from-external-load-balancers";

/** Taint of the cluster autoscaler on nodes that it is about to delete. */
const TO_BE_DELETED_TAINT = "ToBeDeletedByClusterAutoscaler";

const isIncluded = ({ metadata }: CloudNode): boolean => !Object.hasOwn(metadata.labels ?? {}, EXCLUDE_LABEL);
const hasProviderID = ({ spec }: CloudNode): boolean => (spec?.providerID ?? "") !== "";
const isKept = ({ spec }: CloudNode): boolean => (spec?.taints ?? []).every(({ key }) => key !== TO_BE_DELETED_TAINT);
const isReady = ({ status }: CloudNode): boolean => isConditionTrue(status?.conditions, "Ready");
const isNotDeleted = ({ metadata }: CloudNode): boolean => metadata.deletionTimestamp === undefined;

/** The rules by which nodes are behind load balancers. */
export interface NodeRules {
  /** Whether a node is behind load balancers. */
  serves(node: CloudNode): boolean;
  /** Whether a change of a node may change the nodes of load balancers. */
  changes(before: CloudNode, after: CloudNode): boolean;
}

/**
 * The rules of a cluster.
 *
 * @param stable gate StableLoadBalancerNodeSet (KEP-3458): nodes stay behind load balancers while they are not ready, because the load
 *   balancer checks their health itself, and connections through them continue
 */
export function nodeRules(stable: boolean): NodeRules {
  const serves = stable
    ? (node: CloudNode) => isNotDeleted(node) && isIncluded(node) && hasProviderID(node) && isKept(node)
    : (node: CloudNode) => isIncluded(node) && isKept(node) && isReady(node) && hasProviderID(node);
  return {
    serves,
    changes: (before, after) =>
      isIncluded(before) !== isIncluded(after) ||
      hasProviderID(before) !== hasProviderID(after) ||
      (!stable && serves(before) !== serves(after)),
  };
}

/** Whether two sets of nodes are the same to load balancers: the same names with the same provider IDs. */
export function sameNodes(a: readonly CloudNode[], b: readonly CloudNode[]): boolean {
  if (a.length !== b.length) return false;
  const ids = new Map(a.map(({ metadata, spec }) => [metadata.name, spec?.providerID ?? ""]));
  return b.every(({ metadata, spec }) => ids.get(metadata.name) === (spec?.providerID ?? ""));
}
