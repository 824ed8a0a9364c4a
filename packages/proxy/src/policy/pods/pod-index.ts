import type { InterruptibleSteps } from "@orchernetes/kernel";
import type { Address } from "../values/addresses.ts";
import { AddressClaims } from "./address-claims.ts";
import { NamespacePods } from "./namespace-pods.ts";
import type { PolicyPod } from "./policy-pod.ts";

/** An address, and the pod that has it; undefined if none does. */
export interface AddressOfPod {
  readonly address: Address;
  readonly pod: PolicyPod | undefined;
}

/** An address of a pod that was replaced. */
export interface TouchedAddress extends AddressOfPod {
  /** The pod that had it before; undefined if none had. */
  readonly before: PolicyPod | undefined;
  /** Whether it was not contested before, and now is: pods of several nodes report it. */
  readonly becameContested: boolean;
}

/** Pods by key, namespace and address. {@link AddressClaims} decides which pod has an address that several pods report. */
export class PodIndex {
  readonly #pods = new Map<string, PolicyPod>();
  readonly #namespaces = new Map<string, NamespacePods>();
  readonly #claims = new Map<string, AddressClaims>();
  #contested = 0;

  /** The number of addresses that pods of several nodes report. */
  get contested(): number {
    return this.#contested;
  }

  /** The number of pods. */
  get size(): number {
    return this.#pods.size;
  }

  get(key: string): PolicyPod | undefined {
    return this.#pods.get(key);
  }

  /** The pod that an address belongs to; undefined if nobody has it. */
  ownerOf({ text }: Address): PolicyPod | undefined {
    return this.#claims.get(text)?.owner;
  }

  /** The namespaces that have pods. */
  namespaces(): Iterable<string> {
    return this.#namespaces.keys();
  }

  /** Prepares {@link inNamespace} with traits. */
  *prepare(namespace: string): InterruptibleSteps<void> {
    const pods = this.#namespaces.get(namespace);
    if (pods !== undefined) yield* pods.prepare();
  }

  /** The pods of a namespace, or those of them with one of the traits; a pod with several may come more than once. */
  *inNamespace(namespace: string, traits?: readonly string[]): Generator<PolicyPod> {
    const pods = this.#namespaces.get(namespace);
    if (pods === undefined) return;
    if (traits === undefined) yield* pods.all();
    else for (const trait of traits) yield* pods.having(trait);
  }

  /** The addresses that belong to a pod, not those that belong to another one that has reported them, too. */
  *addressesOf(pod: PolicyPod): Generator<AddressOfPod> {
    for (const address of pod.addresses) if (this.ownerOf(address) === pod) yield { address, pod };
  }

  /**
   * Replaces a pod, or removes it if `next` is undefined.
   *
   * @returns the addresses of the pod before and after, with the pods that have them now
   */
  set(key: string, next: PolicyPod | undefined): readonly TouchedAddress[] {
    const before = this.#pods.get(key);
    const touched = new Map<string, Address>();
    for (const address of [...(before?.addresses ?? []), ...(next?.addresses ?? [])])
      touched.set(address.text, address);
    const contested = new Set([...touched.keys()].filter((text) => this.#isContested(text)));
    const owners = new Map([...touched].map(([text, address]) => [text, this.ownerOf(address)]));
    // First added, then removed: a node keeps its rank when its pod changes.
    if (next !== undefined) this.#claim(next);
    if (before !== undefined) this.#remove(before);
    if (next !== undefined) this.#add(next);
    return [...touched.values()].map((address) => {
      const isContested = this.#isContested(address.text);
      const wasContested = contested.has(address.text);
      this.#contested += Number(isContested) - Number(wasContested);
      return {
        address,
        pod: this.ownerOf(address),
        before: owners.get(address.text),
        becameContested: isContested && !wasContested,
      };
    });
  }

  #isContested(text: string): boolean {
    return this.#claims.get(text)?.isContested === true;
  }

  #claim(pod: PolicyPod): void {
    for (const { text } of pod.addresses) {
      const claims = this.#claims.get(text) ?? new AddressClaims();
      this.#claims.set(text, claims);
      claims.add(pod);
    }
  }

  #add(pod: PolicyPod): void {
    this.#pods.set(pod.key, pod);
    const siblings = this.#namespaces.get(pod.namespace) ?? new NamespacePods();
    this.#namespaces.set(pod.namespace, siblings);
    siblings.add(pod);
  }

  #remove(pod: PolicyPod): void {
    this.#pods.delete(pod.key);
    const siblings = this.#namespaces.get(pod.namespace);
    siblings?.remove(pod);
    if (siblings?.size === 0) this.#namespaces.delete(pod.namespace);
    for (const { text } of pod.addresses) {
      const claims = this.#claims.get(text);
      claims?.remove(pod);
      if (claims?.owner === undefined) this.#claims.delete(text);
    }
  }
}
