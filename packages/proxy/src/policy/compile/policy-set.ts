import { isDeepStrictEqual } from "node:util";
import type { networking } from "@orchernetes/api";
import { ageOf, type CompiledPolicy, compilePolicy } from "./compile-policy.ts";

/** What has happened to a policy. */
export interface PolicyChange {
  /** The policy before and after, of which one at least is there. They differ. */
  readonly before: CompiledPolicy | undefined;
  readonly after: CompiledPolicy | undefined;
  /** Whether its rules are others than before. */
  readonly hasOtherRules: boolean;
}

/** Policies by key and namespace. */
export class PolicySet {
  readonly #policies = new Map<string, CompiledPolicy>();
  readonly #namespaces = new Map<string, Map<string, CompiledPolicy>>();
  #changed = new Set<string>();

  get keys(): readonly string[] {
    return [...this.#policies.keys()];
  }

  /** All of them. */
  values(): Iterable<CompiledPolicy> {
    return this.#policies.values();
  }

  /** The policies of a namespace, by key. */
  inNamespace(namespace: string): Iterable<[string, CompiledPolicy]> {
    return this.#namespaces.get(namespace) ?? [];
  }

  /** Replaces a policy, or removes it if it is undefined. Returns undefined if that changes nothing of interest. */
  set(key: string, policy: networking.NetworkPolicy | undefined): PolicyChange | undefined {
    const before = this.#policies.get(key);
    if (policy === undefined) {
      if (before === undefined) return undefined;
      this.#changed.delete(key);
      this.#remove(key, before);
      return { before, after: undefined, hasOtherRules: true };
    }
    const hasSameRules = before !== undefined && isDeepStrictEqual(before.spec, policy.spec);
    const age = ageOf(policy);
    if (hasSameRules && before.age === age) return undefined;
    // Of the same name and with the same rules, but created later: it has another place among those of its namespace.
    const after = hasSameRules ? { ...before, age } : compilePolicy(policy);
    if (before !== undefined) this.#remove(key, before);
    this.#add(key, after);
    if (!hasSameRules) this.#changed.add(key);
    return { before, after, hasOtherRules: !hasSameRules };
  }

  /** Keys of the policies that have come or whose rules have changed since the last call. */
  takeChanged(): readonly string[] {
    const changed = [...this.#changed];
    this.#changed = new Set();
    return changed;
  }

  #add(key: string, policy: CompiledPolicy): void {
    this.#policies.set(key, policy);
    const siblings = this.#namespaces.get(policy.namespace);
    if (siblings === undefined) this.#namespaces.set(policy.namespace, new Map([[key, policy]]));
    else siblings.set(key, policy);
  }

  #remove(key: string, { namespace }: CompiledPolicy): void {
    this.#policies.delete(key);
    const siblings = this.#namespaces.get(namespace);
    siblings?.delete(key);
    if (siblings?.size === 0) this.#namespaces.delete(namespace);
  }
}
