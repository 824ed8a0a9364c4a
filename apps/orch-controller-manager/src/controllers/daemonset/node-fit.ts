import type { core } from "@orchernetes/api";

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
export const daemonTolerations: readonly core.Toleration[] = [
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

function tolerates({ key, effect, operator = "Equal", value = "" }: core.Toleration, taint: core.Taint): boolean {
  if (effect && effect !== taint.effect) return false;
  if (key && key !== taint.key) return false;
  if (operator === "Exists") return true;
  return operator === "Equal" && Boolean(key) && value === (taint.value ?? "");
}

function meets({ operator, values = [] }: core.NodeSelectorRequirement, actual: string | undefined): boolean {
  const [limit = ""] = values;
  switch (operator) {
    case "In":
      return actual !== undefined && values.includes(actual);
    case "NotIn":
      return actual === undefined || !values.includes(actual);
    case "Exists":
      return actual !== undefined;
    case "DoesNotExist":
      return actual === undefined;
    default: {
      if (actual === undefined || !/^-?\d+$/.test(actual) || !/^-?\d+$/.test(limit)) return false;
      return operator === "Gt" ? BigInt(actual) > BigInt(limit) : BigInt(actual) < BigInt(limit);
    }
  }
}

function inTerm({ matchExpressions = [], matchFields = [] }: core.NodeSelectorTerm, node: core.Node): boolean {
  if (matchExpressions.length === 0 && matchFields.length === 0) return false;
  const labels = new Map(Object.entries(node.metadata.labels ?? {}));
  return (
    matchExpressions.every((requirement) => meets(requirement, labels.get(requirement.key))) &&
    matchFields.every((requirement) => requirement.key === "metadata.name" && meets(requirement, node.metadata.name))
  );
}

function selects(spec: core.PodSpec, node: core.Node): boolean {
  const labels = node.metadata.labels ?? {};
  for (const [key, value] of Object.entries(spec.nodeSelector ?? {})) {
    if (!Object.hasOwn(labels, key) || labels[key] !== value) return false;
  }
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined || required.nodeSelectorTerms.some((term) => inTerm(term, node));
}

/** Judges a node by name, selector, affinity and taints; what is left of its resources does not matter. */
export function nodeFit(spec: core.PodSpec, node: core.Node): NodeFit {
  if (spec.nodeName && spec.nodeName !== node.metadata.name) return { shouldRun: false, mayStay: false };
  if (!selects(spec, node)) return { shouldRun: false, mayStay: false };
  const tolerations = tolerationsOf(spec);
  const untolerated = (node.spec?.taints ?? []).filter(
    (taint) => taint.effect !== "PreferNoSchedule" && !tolerations.some((known) => tolerates(known, taint)),
  );
  return {
    shouldRun: untolerated.length === 0,
    mayStay: untolerated.every(({ effect }) => effect !== "NoExecute"),
  };
}
