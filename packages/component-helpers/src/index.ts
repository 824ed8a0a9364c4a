/**
 * The semantics of pods, nodes and quotas that all daemons share. The scheduler, the node agent, the controllers and
 * admission use the same functions to decide whether a pod tolerates a taint or matches a node, and to compute its
 * requests and its quota usage, so that they cannot disagree. Pure functions over the types of `@orchernetes/api`.
 *
 * @example
 * ```ts
 * import type { core } from "@orchernetes/api";
 * import { nodeMatchesPod, podRequestUnits, untoleratedTaints } from "@orchernetes/component-helpers";
 *
 * const fits = (pod: core.Pod, node: core.Node): boolean =>
 *   nodeMatchesPod(node, pod.spec) &&
 *   untoleratedTaints(node.spec?.taints, pod.spec.tolerations, ["NoSchedule", "NoExecute"]).length === 0;
 * const memoryBytes = ({ spec }: core.Pod): number => podRequestUnits(spec).get("memory") ?? 0;
 * ```
 *
 * @module
 */
export * from "./conditions/conditions.ts";
export * from "./networking/node-ports.ts";
export * from "./pods/pod-state.ts";
export * from "./quota/evaluator.ts";
export * from "./quota/evaluators.ts";
export { objectCountQuota } from "./quota/object-count.ts";
export * from "./quota/quota-scope.ts";
export * from "./resources/pod-resources.ts";
export * from "./resources/resource-list.ts";
export * from "./resources/unit-amounts.ts";
export * from "./scheduling/lease-claim.ts";
export * from "./scheduling/node-affinity.ts";
export * from "./scheduling/priority.ts";
export * from "./scheduling/tolerations.ts";
export * from "./storage/claims-of-pod.ts";
export * from "./storage/csi-migration/migrated-plugins.ts";
export * from "./storage/csi-migration/translate-volume.ts";
export * from "./storage/csi-volume-id.ts";
export * from "./storage/find-volume.ts";
export * from "./storage/local-path.ts";
export * from "./storage/reserve-volume.ts";
export * from "./storage/topology.ts";
export * from "./storage/volumes-and-claims.ts";
export * from "./storage-versions/storage-version-status.ts";
