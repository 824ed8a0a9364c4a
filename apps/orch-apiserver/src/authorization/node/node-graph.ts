import type { core } from "@orchernetes/api";
import { podReferences } from "./pod-references.ts";

/**
 * Which node may read which object: an edge from every object to the nodes that run a pod naming it, and from persistent
 * volumes to their claims. Counted, so that the last pod to go takes the permission along.
 */
export class NodeGraph {
  readonly #pods = new Map<string, { readonly node: string; readonly refs: readonly string[] }>();
  readonly #readers = new Map<string, Map<string, number>>();
  readonly #volumeClaims = new Map<string, string>();

  /** A pod was added or changed. Pods without a node, and mirror pods, give no rights. */
  setPod(pod: core.Pod): void {
    const key = `${pod.metadata.namespace ?? ""}/${pod.metadata.name ?? ""}`;
    const node = pod.spec.nodeName ?? "";
    const before = this.#pods.get(key);
    // A pod's references are fixed once it is bound (but for ephemeral containers): skip the work for status changes.
    if (before?.node === node && !pod.spec.ephemeralContainers) return;
    this.deletePod(key);
    if (node === "" || pod.metadata.annotations?.["orchernetes.io/config.mirror"] !== undefined) return;
    const refs = podReferences(pod);
    this.#pods.set(key, { node, refs });
    for (const ref of refs) {
      const readers = this.#readers.get(ref) ?? new Map<string, number>();
      this.#readers.set(ref, readers);
      readers.set(node, (readers.get(node) ?? 0) + 1);
    }
  }

  /** `key` is `namespace/name`. */
  deletePod(key: string): void {
    const before = this.#pods.get(key);
    if (before === undefined) return;
    this.#pods.delete(key);
    for (const ref of before.refs) {
      const readers = this.#readers.get(ref);
      const count = (readers?.get(before.node) ?? 0) - 1;
      if (count > 0) readers?.set(before.node, count);
      else readers?.delete(before.node);
      if (readers?.size === 0) this.#readers.delete(ref);
    }
  }

  /** `claim` is `namespace/name` of the claim that the volume is bound to. */
  setVolume(name: string, claim: string | undefined): void {
    if (claim === undefined) this.#volumeClaims.delete(name);
    else this.#volumeClaims.set(name, claim);
  }

  /** Whether a pod of the node names the object. */
  mayRead(node: string, resource: string, namespace: string, name: string): boolean {
    if (resource === "persistentvolumes") {
      const claim = this.#volumeClaims.get(name);
      return claim !== undefined && this.#readers.get(`persistentvolumeclaims/${claim}`)?.has(node) === true;
    }
    return this.#readers.get(`${resource}/${namespace}/${name}`)?.has(node) === true;
  }
}
