import type { PodInfo } from "./pod-info.ts";

/** Pods that wait for room being made on a node: others of no higher priority must leave them that room. */
export class NominatedPods {
  readonly #byKey = new Map<string, { readonly info: PodInfo; readonly node: string }>();

  get size(): number {
    return this.#byKey.size;
  }

  /** Notes or, with "", takes back where a pod is to go. */
  set(info: PodInfo, node: string): void {
    if (node === "") this.#byKey.delete(info.key);
    else this.#byKey.set(info.key, { info, node });
  }

  delete(key: string): void {
    this.#byKey.delete(key);
  }

  nodeOf(key: string): string {
    return this.#byKey.get(key)?.node ?? "";
  }

  /** Those that another pod has to leave room for, with their nodes. */
  *ahead(of: PodInfo): Iterable<{ readonly info: PodInfo; readonly node: string }> {
    for (const entry of this.#byKey.values())
      if (entry.info.key !== of.key && entry.info.priority >= of.priority) yield entry;
  }

  /** Those of lower priority on a node: what is made room for there is no longer theirs alone. */
  below(node: string, priority: number): readonly PodInfo[] {
    return [...this.#byKey.values()]
      .filter((entry) => entry.node === node && entry.info.priority < priority)
      .map(({ info }) => info);
  }
}
