import type { Address } from "./addresses.ts";
import type { PolicyPod } from "./policy-pod.ts";

/** An address, and the pod that has it; undefined if none does. */
export interface AddressOfPod {
  readonly address: Address;
  readonly pod: PolicyPod | undefined;
}

/**
 * Pods by key, namespace and address. An address that several pods have reported belongs to the one of the highest rank:
 * for a moment there may be a pod that has gone and its successor.
 */
export class PodIndex {
  readonly #pods = new Map<string, PolicyPod>();
  readonly #namespaces = new Map<string, Map<string, PolicyPod>>();
  readonly #holders = new Map<string, PolicyPod[]>();

  get(key: string): PolicyPod | undefined {
    return this.#pods.get(key);
  }

  /** The pods of a namespace. */
  inNamespace(namespace: string): Iterable<PolicyPod> {
    return this.#namespaces.get(namespace)?.values() ?? [];
  }

  /** The addresses of all pods in some of the namespaces. */
  *addressesIn(isWanted: (namespace: string) => boolean): Generator<AddressOfPod> {
    for (const [namespace, pods] of this.#namespaces)
      if (isWanted(namespace)) for (const pod of pods.values()) yield* this.addressesOf(pod);
  }

  /** The addresses that belong to a pod, not those that another one of higher rank has reported, too. */
  *addressesOf(pod: PolicyPod): Generator<AddressOfPod> {
    for (const address of pod.addresses) if (this.#owner(address) === pod) yield { address, pod };
  }

  /**
   * Replaces a pod, or removes it if `next` is undefined.
   *
   * @returns the addresses of the pod before and after, with the pods that have them now
   */
  set(key: string, next: PolicyPod | undefined): readonly AddressOfPod[] {
    const before = this.#pods.get(key);
    if (before !== undefined) this.#remove(before);
    if (next !== undefined) this.#add(next);
    const touched = new Map<string, Address>();
    for (const address of [...(before?.addresses ?? []), ...(next?.addresses ?? [])])
      touched.set(address.text, address);
    return [...touched.values()].map((address) => ({ address, pod: this.#owner(address) }));
  }

  #owner({ text }: Address): PolicyPod | undefined {
    return this.#holders.get(text)?.[0];
  }

  #add(pod: PolicyPod): void {
    this.#pods.set(pod.key, pod);
    const siblings = this.#namespaces.get(pod.namespace);
    if (siblings === undefined) this.#namespaces.set(pod.namespace, new Map([[pod.key, pod]]));
    else siblings.set(pod.key, pod);
    for (const { text } of pod.addresses) {
      const holders = [...(this.#holders.get(text) ?? []), pod];
      this.#holders.set(
        text,
        holders.sort((a, b) => (a.rank < b.rank ? 1 : -1)),
      );
    }
  }

  #remove(pod: PolicyPod): void {
    this.#pods.delete(pod.key);
    const siblings = this.#namespaces.get(pod.namespace);
    siblings?.delete(pod.key);
    if (siblings?.size === 0) this.#namespaces.delete(pod.namespace);
    for (const { text } of pod.addresses) {
      const left = (this.#holders.get(text) ?? []).filter((holder) => holder !== pod);
      if (left.length === 0) this.#holders.delete(text);
      else this.#holders.set(text, left);
    }
  }
}
