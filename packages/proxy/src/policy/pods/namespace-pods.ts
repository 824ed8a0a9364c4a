import type { InterruptibleSteps } from "@orchernetes/kernel";
import { traitsOf } from "./pod-selection.ts";
import type { PolicyPod } from "./policy-pod.ts";

/** Pods between two steps. */
const PODS_IN_STEP = 64;

const nobody: ReadonlySet<PolicyPod> = new Set();

/** The pods of a namespace, by name and, once somebody has asked for that, by their labels and ports. */
export class NamespacePods {
  readonly #pods = new Map<string, PolicyPod>();
  /** By trait; undefined until it is needed. */
  #byTrait: Map<string, Set<PolicyPod>> | undefined;

  get size(): number {
    return this.#pods.size;
  }

  /** All of them. */
  all(): Iterable<PolicyPod> {
    return this.#pods.values();
  }

  /** A pod with the key must not be there. */
  add(pod: PolicyPod): void {
    this.#pods.set(pod.key, pod);
    this.#index(pod);
  }

  remove(pod: PolicyPod): void {
    this.#pods.delete(pod.key);
    if (this.#byTrait === undefined) return;
    for (const trait of traitsOf(pod)) {
      const pods = this.#byTrait.get(trait);
      pods?.delete(pod);
      if (pods?.size === 0) this.#byTrait.delete(trait);
    }
  }

  /** Prepares {@link having}. Pods may come and go between two steps. */
  *prepare(): InterruptibleSteps<void> {
    if (this.#byTrait !== undefined) return;
    this.#byTrait = new Map();
    let count = 0;
    for (const pod of this.#pods.values()) {
      this.#index(pod);
      if (++count % PODS_IN_STEP === 0) yield;
    }
  }

  /** Those with a trait; {@link prepare} must have ended. */
  having(trait: string): Iterable<PolicyPod> {
    return this.#byTrait?.get(trait) ?? nobody;
  }

  #index(pod: PolicyPod): void {
    if (this.#byTrait === undefined) return;
    for (const trait of traitsOf(pod)) {
      const pods = this.#byTrait.get(trait);
      if (pods === undefined) this.#byTrait.set(trait, new Set([pod]));
      else pods.add(pod);
    }
  }
}
