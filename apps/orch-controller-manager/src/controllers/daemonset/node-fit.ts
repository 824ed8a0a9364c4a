import type { core } from "@orchernetes/api";
import { nodeMatchesPod, repellingEffects, untoleratedTaints } from "@orchernetes/component-helpers";

/** What a node means for the pods of a DaemonSet. */
export interface NodeFit {
  /** A pod belongs there. */
  readonly shouldRun: boolean;
  /** A pod that is there may stay. */
  readonly mayStay: boolean;
}

const toleration = (key: string, effect: "NoExecute" | "NoSchedule"): core.Toleration => ({
  key: `node.orchernetes.io/${key}`,
  operator: "Exists",
  effect,
});

/** Daemons outlast what makes nodes unfit for others. */
const daemonTolerations: readonly core.Toleration[] = [
  toleration("not-ready", "NoExecute"),
  toleration("unreachable", "NoExecute"),
  toleration("disk-pressure", "NoSchedule"),
  toleration("memory-pressure", "NoSchedule"),
  toleration("pid-pressure", "NoSchedule"),
  toleration("unschedulable", "NoSchedule"),
];
const networkUnavailable = toleration("network-unavailable", "NoSchedule");

/** The template's tolerations and those of every daemon. */
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

/** Judges a node by name, selector, affinity and taints; what is left of its resources does not matter. */
export function nodeFit(spec: core.PodSpec, node: core.Node): NodeFit {
  if (spec.nodeName && spec.nodeName !== node.metadata.name) return { shouldRun: false, mayStay: false };
  if (!nodeMatchesPod(node, spec)) return { shouldRun: false, mayStay: false };
  const untolerated = untoleratedTaints(node.spec?.taints, tolerationsOf(spec), repellingEffects);
  return {
    shouldRun: untolerated.length === 0,
    mayStay: untolerated.every(({ effect }) => effect !== "NoExecute"),
  };
}
