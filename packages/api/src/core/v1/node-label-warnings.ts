import type { LabelSelector } from "@orchernetes/apimachinery";
import type { NodeSelectorTerm } from "./types/affinity.ts";

/** Labels of nodes that have better names by now. */
const deprecated: ReadonlyMap<string, string> = new Map([
  ["beta.orchernetes.io/arch", 'deprecated since v1.14; use "orchernetes.io/arch" instead'],
  ["beta.orchernetes.io/os", 'deprecated since v1.14; use "orchernetes.io/os" instead'],
  ["failure-domain.beta.orchernetes.io/region", 'deprecated since v1.17; use "topology.orchernetes.io/region" instead'],
  ["failure-domain.beta.orchernetes.io/zone", 'deprecated since v1.17; use "topology.orchernetes.io/zone" instead'],
  ["beta.orchernetes.io/instance-type", 'deprecated since v1.17; use "node.orchernetes.io/instance-type" instead'],
  ["app.orchernetes.io/created-by", "deprecated since v1.9"],
  ["scheduler.alpha.orchernetes.io/preferAvoidPods", "deprecated since v1.22; use Taints and Tolerations instead"],
  ["node-role.orchernetes.io/master", 'use "node-role.orchernetes.io/control-plane" instead'],
]);

/** What to say of a label of nodes; undefined when it is fine. */
export function nodeLabelWarning(label: string): string | undefined {
  return deprecated.get(label);
}

/** Deprecated labels that a plain selector names. */
export function nodeLabelsWarnings(
  labels: Readonly<Record<string, unknown>> | undefined,
  path: (label: string) => string,
): string[] {
  return Object.keys(labels ?? {}).flatMap((label) => {
    const text = nodeLabelWarning(label);
    return text === undefined ? [] : [`${path(label)}: ${text}`];
  });
}

/** Deprecated labels that the expressions of a term name. */
export function nodeTermWarnings(
  { matchExpressions }: Pick<NodeSelectorTerm, "matchExpressions">,
  path: string,
): string[] {
  return (matchExpressions ?? []).flatMap(({ key }, i) => {
    const text = nodeLabelWarning(key);
    return text === undefined ? [] : [`${path}.matchExpressions[${i}].key: ${key} is ${text}`];
  });
}

/** Deprecated labels that a label selector of nodes names. */
export function nodeSelectorWarnings(selector: LabelSelector | undefined, path: string): string[] {
  if (selector === undefined) return [];
  return [
    ...nodeTermWarnings(selector as Pick<NodeSelectorTerm, "matchExpressions">, path),
    ...nodeLabelsWarnings(selector.matchLabels, (label) => `${path}.matchLabels.${label}`),
  ];
}
