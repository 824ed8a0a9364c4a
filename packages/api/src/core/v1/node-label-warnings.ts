import type { LabelSelector } from "@orchernetes/apimachinery";
import type { NodeSelectorTerm } from "./types/affinity.ts";

/** Deprecated node labels and their replacements. */
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

/** The deprecation warning for a node label; undefined if it is not deprecated. */
export function nodeLabelWarning(label: string): string | undefined {
  return deprecated.get(label);
}

/** Warnings for deprecated labels in a map selector. */
export function nodeLabelsWarnings(
  labels: Readonly<Record<string, unknown>> | undefined,
  path: (label: string) => string,
): string[] {
  return Object.keys(labels ?? {}).flatMap((label) => {
    const text = nodeLabelWarning(label);
    return text === undefined ? [] : [`${path(label)}: ${text}`];
  });
}

/** Warnings for deprecated labels in the expressions of a node selector term. */
export function nodeTermWarnings(
  { matchExpressions }: Pick<NodeSelectorTerm, "matchExpressions">,
  path: string,
): string[] {
  return (matchExpressions ?? []).flatMap(({ key }, i) => {
    const text = nodeLabelWarning(key);
    return text === undefined ? [] : [`${path}.matchExpressions[${i}].key: ${key} is ${text}`];
  });
}

/** Warnings for deprecated labels in a label selector of nodes. */
export function nodeSelectorWarnings(selector: LabelSelector | undefined, path: string): string[] {
  if (selector === undefined) return [];
  return [
    ...nodeTermWarnings(selector as Pick<NodeSelectorTerm, "matchExpressions">, path),
    ...nodeLabelsWarnings(selector.matchLabels, (label) => `${path}.matchLabels.${label}`),
  ];
}
