import type { core } from "@orchernetes/api";
import { compileNodeSelector } from "@orchernetes/component-helpers";
import { labelText, type Shortfall } from "../framework/shortfall.ts";

type Requirement = core.NodeSelectorRequirement;
type Term = core.NodeSelectorTerm;

const requirementText = ({ operator, values = [] }: Requirement): string =>
  operator === "Exists" || operator === "DoesNotExist" ? operator : `${operator} [${values.join(", ")}]`;

/** The requirements of a term that a node does not meet. */
function unmet({ matchExpressions = [], matchFields = [] }: Term, node: core.Node): readonly Shortfall[] {
  const { labels, name = "" } = node.metadata;
  const alone = (term: Term): boolean => compileNodeSelector({ nodeSelectorTerms: [term] })(node);
  if (matchExpressions.length + matchFields.length === 0)
    return [{ what: "node affinity term", needed: "a requirement: a term without one matches no node", available: "" }];
  return [
    ...matchExpressions
      .filter((one) => !alone({ matchExpressions: [one] }))
      .map((one) => ({
        what: `label ${one.key}`,
        needed: requirementText(one),
        available: labelText(labels, one.key),
      })),
    ...matchFields
      .filter((one) => !alone({ matchFields: [one] }))
      .map((one) => ({ what: `field ${one.key}`, needed: requirementText(one), available: JSON.stringify(name) })),
  ];
}

/** What a node lacks for a node selector: the unmet requirements of the term that comes closest. */
export function selectorShortfalls({ nodeSelectorTerms }: core.NodeSelector, node: core.Node): readonly Shortfall[] {
  const terms = nodeSelectorTerms.map((term) => unmet(term, node));
  if (terms.length === 0) return [{ what: "node affinity", needed: "a term: none matches no node", available: "" }];
  return terms.reduce((least, one) => (one.length < least.length ? one : least));
}

/** What a node lacks for the node selector and the required node affinity of a pod. */
export function affinityShortfalls(spec: core.PodSpec, node: core.Node | undefined): readonly Shortfall[] {
  if (node === undefined) return [];
  const { labels } = node.metadata;
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const selected = Object.entries(spec.nodeSelector ?? {})
    .map(([key, value]) => ({
      what: `label ${key}`,
      needed: JSON.stringify(value),
      available: labelText(labels, key),
    }))
    .filter(({ needed, available }) => needed !== available);
  const matches = required === undefined || compileNodeSelector(required)(node);
  return required === undefined || matches ? selected : [...selected, ...selectorShortfalls(required, node)];
}
