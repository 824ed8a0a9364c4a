import type * as v1beta1 from "@orchernetes/api/admissionregistration/v1beta1";
import type { ApiObject } from "@orchernetes/apimachinery";
import type { AdmissionAttributes, ObjectEvent, Registry, ResourceStore } from "@orchernetes/apiserver";
import type { MatchCriteria } from "../matching/match-criteria.ts";
import { RuleIndex } from "../matching/rule-index.ts";
import { type CompiledPolicy, compilePolicy, type PolicyObserver } from "./compiled-policy.ts";

/** A policy with the bindings that put it to use. */
export interface BoundPolicy {
  readonly name: string;
  readonly spec: v1beta1.ValidatingAdmissionPolicySpec;
  readonly criteria: MatchCriteria;
  /** In the order of their names. */
  readonly bindings: readonly PolicyBinding[];
  /** Its expressions, compiled when they are needed first. */
  readonly compiled: () => CompiledPolicy;
}

/** How a policy is put to use. */
export interface PolicyBinding {
  readonly name: string;
  readonly spec: v1beta1.ValidatingAdmissionPolicyBindingSpec;
  /** Undefined: all that the policy is about. */
  readonly criteria: MatchCriteria | undefined;
}

interface Policy extends Omit<BoundPolicy, "bindings"> {
  /** Changes with the spec. */
  readonly version: string;
}

const GROUP = "admissionregistration.o8s.io";

/** Options of {@link PolicyIndex}. */
export interface PolicyIndexOptions extends PolicyObserver {
  /** Called for each policy that was not known before. */
  readonly defined: () => void;
  /** Called for each policy that is new or changed. */
  readonly changed: (policy: v1beta1.ValidatingAdmissionPolicy) => void;
}

/** All policies and bindings, and which policies may concern a write. */
export class PolicyIndex {
  readonly #options: PolicyIndexOptions;
  readonly #policies = new Map<string, Policy>();
  readonly #bindings = new Map<string, PolicyBinding>();
  /** Undefined after a change, until the next write. */
  #index: RuleIndex<BoundPolicy> | undefined;

  constructor(options: PolicyIndexOptions) {
    this.#options = options;
  }

  /** Follows what is stored; resolves when it is known. If the resources are not served, there are none. */
  async follow(registry: Registry, signal: AbortSignal): Promise<void> {
    await Promise.all([
      followStored(
        registry,
        "validatingadmissionpolicies",
        (event, object) => this.#policyChanged(event, object),
        signal,
      ),
      followStored(
        registry,
        "validatingadmissionpolicybindings",
        (event, object) => this.#bindingChanged(event, object),
        signal,
      ),
    ]);
  }

  /** The policies whose rules may be about a write; their selectors and names in rules are not looked at. Costs one look-up. */
  candidates(attributes: AdmissionAttributes, registry: Registry): ReturnType<RuleIndex<BoundPolicy>["candidates"]> {
    this.#index ??= new RuleIndex(this.#bound());
    return this.#index.candidates(attributes, registry);
  }

  #policyChanged(type: EventType, object: ApiObject): void {
    const { metadata, spec } = object as v1beta1.ValidatingAdmissionPolicy;
    const name = metadata.name ?? "";
    const known = this.#policies.get(name);
    if (type === "DELETED") this.#policies.delete(name);
    else {
      const version = `${metadata.uid}/${metadata.generation}`;
      if (known?.version === version) return;
      this.#options.changed(object as v1beta1.ValidatingAdmissionPolicy);
      if (known === undefined) this.#options.defined();
      let compiled: CompiledPolicy | undefined;
      this.#policies.set(name, {
        name,
        spec,
        version,
        criteria: criteriaOf(spec.matchConstraints),
        compiled: () => (compiled ??= compilePolicy(name, spec, this.#options)),
      });
    }
    this.#index = undefined;
  }

  #bindingChanged(type: EventType, object: ApiObject): void {
    const { metadata, spec } = object as v1beta1.ValidatingAdmissionPolicyBinding;
    const name = metadata.name ?? "";
    if (type === "DELETED") this.#bindings.delete(name);
    else {
      const criteria = spec.matchResources && criteriaOf(spec.matchResources);
      this.#bindings.set(name, { name, spec, criteria });
    }
    this.#index = undefined;
  }

  #bound(): readonly BoundPolicy[] {
    const bindings = Map.groupBy([...this.#bindings.values()].sort(byName), ({ spec }) => spec.policyName ?? "");
    return [...this.#policies.values()]
      .sort(byName)
      .map(({ version: _, ...policy }) => ({ ...policy, bindings: bindings.get(policy.name) ?? [] }))
      .filter(({ bindings, spec }) => bindings.length > 0 || spec.paramKind !== undefined);
  }
}

const byName = (a: { readonly name: string }, b: { readonly name: string }): number => (a.name < b.name ? -1 : 1);

/** What the rules and selectors of a policy or binding match. */
const criteriaOf = (resources: v1beta1.MatchResources | undefined): MatchCriteria => ({
  namespaceSelector: resources?.namespaceSelector,
  objectSelector: resources?.objectSelector,
  resourceRules: resources?.resourceRules,
  excludeResourceRules: resources?.excludeResourceRules,
  matchPolicy: resources?.matchPolicy,
});

type EventType = ObjectEvent<ApiObject>["type"];

/** Objects of policies by whichever version is served; undefined if none is. */
export const storeOf = (registry: Registry, plural: string): ResourceStore | undefined =>
  registry.lookup(GROUP, "v1beta1", plural) ?? registry.lookup(GROUP, "v1alpha1", plural);

/** Follows the objects of a resource in their stored form, which has all fields, by whichever version is served. */
function followStored(
  registry: Registry,
  plural: string,
  changed: (type: EventType, object: ApiObject) => void,
  signal: AbortSignal,
): Promise<void> {
  const store = storeOf(registry, plural);
  if (store === undefined) return Promise.resolve();
  const { storedAs } = store.definition;
  return new Promise((resolve) => {
    const onEvent = ({ type, object }: ObjectEvent<ApiObject>) => changed(type, storedAs?.toStored?.(object) ?? object);
    store.follow({ onEvent, onSynced: resolve }, signal);
  });
}
