import type { StorageClass } from "@orchernetes/component-helpers";

/** Annotations that mark a class as default; the second one is older. */
const isDefault: readonly string[] = [
  "storageclass.orchernetes.io/is-default-class",
  "storageclass.beta.orchernetes.io/is-default-class",
];

/**
 * The class for claims that specify none. If several are marked as default, the youngest one; of these, the first by
 * name.
 */
export function defaultClassOf(classes: readonly StorageClass[]): StorageClass | undefined {
  let best: StorageClass | undefined;
  for (const one of classes) {
    const { annotations = {} } = one.metadata;
    if (!isDefault.some((name) => annotations[name] === "true")) continue;
    if (best === undefined || compare(one, best) < 0) best = one;
  }
  return best;
}

function compare({ metadata: a }: StorageClass, { metadata: b }: StorageClass): number {
  const age = Date.parse(b.creationTimestamp) - Date.parse(a.creationTimestamp);
  return age !== 0 ? age : a.name < b.name ? -1 : 1;
}
