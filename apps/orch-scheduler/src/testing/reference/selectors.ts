import type { core } from "@orchernetes/api";
import { quantityOf } from "@orchernetes/apimachinery";

export type Labels = Readonly<Record<string, string>>;
type LabelSelector = NonNullable<core.PodAffinityTerm["labelSelector"]>;

/** Whether labels meet one requirement of a label selector or node selector. */
function meets(labels: Labels, key: string, operator: string, values: readonly string[]): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    case "Gt":
    case "Lt": {
      const [bound = ""] = values;
      if (value === undefined || !/^-?\d+$/.test(value)) return false;
      return operator === "Gt" ? Number(value) > Number(bound) : Number(value) < Number(bound);
    }
    default:
      throw new Error(`unknown operator ${operator}`);
  }
}

/** Whether a label selector selects labels; an absent one selects nothing, an empty one everything. */
export function selects(selector: LabelSelector | undefined, labels: Labels = {}): boolean {
  if (selector === undefined) return false;
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return (
    Object.entries(matchLabels).every(([key, value]) => meets(labels, key, "In", [value])) &&
    matchExpressions.every(({ key, operator, values = [] }) => meets(labels, key, operator, values))
  );
}

/** Whether the selector is there and has no requirement. */
export const isEmptySelector = (selector: LabelSelector | undefined): boolean =>
  selector !== undefined &&
  Object.keys(selector.matchLabels ?? {}).length === 0 &&
  (selector.matchExpressions ?? []).length === 0;

export function termMatches(
  { matchExpressions = [], matchFields = [] }: core.NodeSelectorTerm,
  node: core.Node,
): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  const { labels = {}, name = "" } = node.metadata;
  return (
    matchExpressions.every(({ key, operator, values = [] }) => meets(labels, key, operator, values)) &&
    matchFields.every(({ key, operator, values = [] }) => meets({ "metadata.name": name }, key, operator, values))
  );
}

/** Whether a node matches the node selector and the required affinity of a pod. */
export function matchesNodeAffinity({ nodeSelector = {}, affinity }: core.PodSpec, node: core.Node): boolean {
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const { labels = {} } = node.metadata;
  return (
    Object.entries(nodeSelector).every(([key, value]) => labels[key] === value) &&
    (required === undefined || required.nodeSelectorTerms.some((term) => termMatches(term, node)))
  );
}

/**
 * The only nodes that a pod may fit, by name, if every required term names nodes: the original examines no others, so that
 * they do not count in the message.
 */
export function namedNodes({ affinity }: core.PodSpec): readonly string[] | undefined {
  const terms = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const byTerm = terms.map(({ matchFields = [] }) => matchFields.filter(({ operator }) => operator === "In"));
  if (byTerm.length === 0 || byTerm.some((fields) => fields.length === 0)) return undefined;
  const inAll = (fields: readonly core.NodeSelectorRequirement[]): readonly string[] =>
    (fields[0]?.values ?? []).filter((name) => fields.every(({ values = [] }) => values.includes(name)));
  return byTerm.flatMap(inAll);
}

export function tolerates(tolerations: readonly core.Toleration[] = [], taint: core.Taint): boolean {
  return tolerations.some(({ key, operator = "Equal", value = "", effect }) => {
    if (effect && effect !== taint.effect) return false;
    if (key && key !== taint.key) return false;
    return operator === "Exists" || value === (taint.value ?? "");
  });
}

/** The first taint that keeps a pod off a node. */
export const untolerated = (spec: core.PodSpec, node: core.Node): core.Taint | undefined =>
  (node.spec.taints ?? []).find((taint) => taint.effect !== "PreferNoSchedule" && !tolerates(spec.tolerations, taint));

/** An amount: thousandths of CPU, whole units of everything else. */
export const amount = (resource: string, text: string | undefined): number => {
  if (text === undefined) return 0;
  return resource === "cpu" ? quantityOf(text).milliValue() : quantityOf(text).value();
};

/** What a pod requests of a resource. `missing` counts for containers that do not name it. */
export function requestOf(
  { containers, initContainers = [], overhead }: core.PodSpec,
  resource: string,
  missing = 0,
): number {
  const of = ({ resources }: core.Container): number => {
    const text = resources.requests?.[resource];
    return text === undefined ? missing : amount(resource, text);
  };
  const sum = containers.reduce((total, one) => total + of(one), 0);
  return Math.max(sum, ...initContainers.map(of)) + amount(resource, overhead?.[resource]);
}
