import type { core } from "@orchernetes/api";
import {
  type FieldSelector,
  fieldSelectorOf,
  newRequirement,
  type Selector,
  SelectorError,
  type SelectorOperator,
  selectorFromSet,
  selectorOf,
} from "@orchernetes/apimachinery";

/** Whether a node matches. Compiled once and called for many nodes. */
export type NodePredicate = (node: core.Node) => boolean;

const operators: Readonly<Record<core.NodeSelectorRequirement["operator"], SelectorOperator>> = {
  In: "in",
  NotIn: "notin",
  Exists: "exists",
  DoesNotExist: "!",
  Gt: "gt",
  Lt: "lt",
};

function labelSelector(expressions: readonly core.NodeSelectorRequirement[]): Selector {
  return selectorOf(
    expressions.map(({ key, operator, values }) => {
      if (!Object.hasOwn(operators, operator))
        throw new SelectorError(`${JSON.stringify(operator)} is not a valid node selector operator`);
      return newRequirement(key, operators[operator], [...new Set(values)].sort());
    }),
  );
}

function fieldSelector(requirements: readonly core.NodeSelectorRequirement[]): FieldSelector {
  return fieldSelectorOf(
    requirements.map(({ key, operator, values = [] }) => {
      if (operator !== "In" && operator !== "NotIn")
        throw new SelectorError(`${JSON.stringify(operator)} is not a valid node field selector operator`);
      const [value] = values;
      if (value === undefined || values.length > 1)
        throw new SelectorError(
          `unexpected number of value (${values.length}) for node field selector operator ${JSON.stringify(operator)}`,
        );
      return { field: key, op: operator === "In" ? "=" : "!=", value };
    }),
  );
}

const isEmpty = ({ matchExpressions = [], matchFields = [] }: core.NodeSelectorTerm): boolean =>
  matchExpressions.length === 0 && matchFields.length === 0;

/** @throws SelectorError */
function compileTerm({ matchExpressions = [], matchFields = [] }: core.NodeSelectorTerm): NodePredicate {
  const labels = labelSelector(matchExpressions);
  const fields = fieldSelector(matchFields);
  return ({ metadata: { name, labels: have } }) =>
    labels.matches(have) && (!name || fields.matches({ "metadata.name": name }));
}

function ifValid(term: core.NodeSelectorTerm): NodePredicate | undefined {
  try {
    return compileTerm(term);
  } catch (error) {
    if (error instanceof SelectorError) return undefined;
    throw error;
  }
}

/**
 * The nodes that at least one term matches. A term matches a node that meets all of its requirements; a term without
 * requirements, or with one that is not valid (a value that no label can have, a bound that is no integer), matches
 * none.
 */
export function compileNodeSelector({ nodeSelectorTerms }: core.NodeSelector): NodePredicate {
  const terms = nodeSelectorTerms.flatMap((term) => (isEmpty(term) ? [] : (ifValid(term) ?? [])));
  return (node) => terms.some((matches) => matches(node));
}

/**
 * The nodes that a pod may run on by `spec.nodeSelector` and its required node affinity; undefined for a pod that has
 * neither, which may run on all of them.
 */
export function compileNodeAffinity({ nodeSelector, affinity }: core.PodSpec): NodePredicate | undefined {
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (nodeSelector === undefined && required === undefined) return undefined;
  const labels = selectorFromSet(nodeSelector);
  const matches = required === undefined ? undefined : compileNodeSelector(required);
  return (node) => labels.matches(node.metadata.labels) && (matches === undefined || matches(node));
}

const everyNode: NodePredicate = () => true;
const compiled = new WeakMap<core.PodSpec, NodePredicate>();

/**
 * Whether a pod may run on a node by `spec.nodeSelector` and its required node affinity. The result of compiling a spec
 * is cached as long as the object exists, so the object must not be changed.
 */
export function nodeMatchesPod(node: core.Node, spec: core.PodSpec): boolean {
  let matches = compiled.get(spec);
  if (matches === undefined) {
    matches = compileNodeAffinity(spec) ?? everyNode;
    compiled.set(spec, matches);
  }
  return matches(node);
}

/**
 * How much a pod prefers a node: the sum of the weights of the matching terms. Terms without requirements have no
 * weight.
 *
 * @throws SelectorError when a term is not valid
 */
export function compileNodePreference(terms: readonly core.PreferredSchedulingTerm[]): (node: core.Node) => number {
  const weighted = terms
    .filter(({ weight, preference }) => weight !== 0 && !isEmpty(preference))
    .map(({ weight, preference }) => ({ weight, matches: compileTerm(preference) }));
  return (node) => weighted.reduce((sum, { weight, matches }) => (matches(node) ? sum + weight : sum), 0);
}
