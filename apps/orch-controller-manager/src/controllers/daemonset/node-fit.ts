import type { core } from "@orchernetes/api";
import { nodeMatchesPod, repellingEffects, untoleratedTaints } from "@orchernetes/component-helpers";

/** Whether a node is eligible for the pods of a DaemonSet. */
export interface NodeFit {
  /** A pod should be created on the node. */
  readonly shouldRun: boolean;
  /** An existing pod on the node may stay: no NoExecute taint evicts it. */
  readonly mayStay: boolean;
}

const toleration = (key: string, effect: "NoExecute" | "NoSchedule"): core.Toleration => ({
  key: `node.orchernetes.io/${key}`,
  operator: "Exists",
  effect,
});

/** Daemon pods tolerate these conditions, because they often provide what a node needs to become ready. */
const daemonTolerations: readonly core.Toleration[] = [
  toleration("not-ready", "NoExecute"),
  toleration("unreachable", "NoExecute"),
  toleration("disk-pressure", "NoSchedule"),
  toleration("memory-pressure", "NoSchedule"),
  toleration("pid-pressure", "NoSchedule"),
  toleration("unschedulable", "NoSchedule"),
];
const networkUnavailable = toleration("network-unavailable", "NoSchedule");

/** The tolerations of the template, and those of all daemon pods. Source: "Taints and tolerations" in DaemonSet. */
export function tolerationsOf(spec: core.PodSpec): readonly core.Toleration[] {
  const all = [...(spec.tolerations ?? [])];
  for (const extra of spec.hostNetwork ? [...daemonTolerations, networkUnavailable] : daemonTolerations) {
    const at = all.findIndex(
      ({ key, effect, operator, value }) =>
        key === extra.key && effect === extra.effect && operator === extra.operator && (value ?? "") === "",
    );
    if (at < 0) all.push(extra);
    else all[at] = extra;
  }
  return all;
}

/**
 * Checks name, selector, affinity and taints of a node. Its free resources do not matter: the scheduler may preempt
 * other pods.
 */
export function nodeFit(spec: core.PodSpec, node: core.Node): NodeFit {
  if (spec.nodeName && spec.nodeName !== node.metadata.name) return { shouldRun: false, mayStay: false };
  if (!nodeMatchesPod(node, spec)) return { shouldRun: false, mayStay: false };
  const untolerated = untoleratedTaints(node.spec?.taints, tolerationsOf(spec), repellingEffects);
  return {
    shouldRun: untolerated.length === 0,
    mayStay: untolerated.every(({ effect }) => effect !== "NoExecute"),
  };
}
