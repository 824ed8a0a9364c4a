import type { core } from "@orchernetes/api";
import type { Selector, Stored } from "@orchernetes/apimachinery";

/** A label with its value. */
export type LabelPair = readonly [key: string, value: string];

/**
 * A class of pods that label queries cannot distinguish: same namespace, equal labels, all or none of them terminating.
 * Usually the pods of one template.
 */
export interface PodClass {
  /** Equal for equal classes. */
  readonly key: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>> | undefined;
  readonly terminating: boolean;
}

type Labels = Readonly<Record<string, string>>;

function makeClass(namespace: string, labels: Labels | undefined, terminating: boolean): PodClass {
  const pairs = Object.entries(labels ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return { key: JSON.stringify([namespace, terminating, pairs]), namespace, labels, terminating };
}

/** Stands for pods without labels. */
const NO_LABELS: Labels = {};
/** The class of each set of labels that was made last, of pods that terminate and of others. */
const living = new WeakMap<Labels, PodClass>();
const terminating = new WeakMap<Labels, PodClass>();

/** The class of a pod; the same object for pods that share their labels and follow each other. */
export function podClassOf({ metadata }: Stored<core.Pod>): PodClass {
  const { namespace = "", labels } = metadata;
  const classes = metadata.deletionTimestamp ? terminating : living;
  const known = classes.get(labels ?? NO_LABELS);
  if (known?.namespace === namespace) return known;
  const made = makeClass(namespace, labels, classes === terminating);
  classes.set(labels ?? NO_LABELS, made);
  return made;
}

/** The labels that all objects matched by a selector have. */
export function requiredPairs({ requirements }: Selector): readonly LabelPair[] {
  return requirements.flatMap(({ key, operator, values = [] }): readonly LabelPair[] => {
    const [value, ...more] = values;
    const single = operator === "=" || operator === "==" || operator === "in";
    return single && value !== undefined && more.length === 0 ? [[key, value]] : [];
  });
}
