import type { core, networking } from "@orchernetes/api";
import type { NftTable } from "../nft/table.ts";
import { baseChains } from "./base-chains.ts";
import { type CompiledPolicy, compilePolicy } from "./compile-policy.ts";
import { type IsolatedPod, type IsolationParts, isolationParts } from "./isolated-pods.ts";
import { LiveElements } from "./live-elements.ts";
import { type AddressOfPod, PodIndex } from "./pod-index.ts";
import { type PolicyPod, readPolicyPod } from "./policy-pod.ts";

type Labels = Readonly<Record<string, string>>;

/** Which pods are isolated, and where. */
export interface PolicyTableOptions {
  /** Policies are enforced for the pods of this node. */
  readonly nodeName: string;
  /** Of the table; unique on the host. */
  readonly tableName: string;
}

/** What the metrics of a table are made of. */
export interface PolicyTableSize {
  readonly policies: number;
  /** Pods with addresses, of all nodes. */
  readonly pods: number;
  /** Pods of this node that a policy isolates. */
  readonly isolatedPods: number;
  readonly chains: number;
  readonly elements: number;
}

/**
 * The network policies of a cluster as a table for the pods of one node, kept up to date object by object. The change of a
 * pod costs one test of each selector that the table needs, the change of a policy one test of each pod that it may be
 * about or name. Parts that have not changed are the same objects in the next table, so that `changeBatch` is fast.
 */
export class PolicyTable {
  readonly #options: PolicyTableOptions;
  readonly #pods = new PodIndex();
  readonly #localPods = new Map<string, PolicyPod>();
  readonly #namespaces = new Map<string, Labels>();
  readonly #policies = new Map<string, CompiledPolicy>();
  readonly #policiesOf = new Map<string, Map<string, CompiledPolicy>>();
  /** By local pod; absent if it has to be found again. */
  readonly #selecting = new Map<string, readonly CompiledPolicy[]>();
  readonly #live = new Map<string, LiveElements>();
  #parts: IsolationParts | undefined;
  #isolatedPods = 0;

  constructor(options: PolicyTableOptions) {
    this.#options = options;
  }

  /** A pod was added or changed, or is gone if it is undefined. */
  setPod(key: string, pod: core.Pod | undefined): void {
    const before = this.#pods.get(key);
    const next = pod && readPolicyPod(pod, this.#options.nodeName);
    if (JSON.stringify(before) === JSON.stringify(next)) return;
    const moved = this.#pods.set(key, next);
    this.#assign(moved);
    if (next?.isLocal === true) this.#localPods.set(key, next);
    else this.#localPods.delete(key);
    if (before?.isLocal !== true && !moved.some((address) => address.pod?.isLocal === true)) return;
    this.#selecting.delete(key);
    this.#parts = undefined;
  }

  /** A namespace was added or changed, or is gone if its labels are undefined. */
  setNamespace(name: string, labels: Labels | undefined): void {
    if (JSON.stringify(this.#namespaces.get(name)) === JSON.stringify(labels)) return;
    if (labels === undefined) this.#namespaces.delete(name);
    else this.#namespaces.set(name, labels);
    const affected = [...this.#live.values()].filter(({ spec }) => spec.usesNamespaces);
    for (const pod of this.#pods.inNamespace(name))
      for (const address of this.#pods.addressesOf(pod)) for (const live of affected) live.assign(address);
  }

  /**
   * A policy was added or changed, or is gone if it is undefined.
   *
   * @returns what is not valid in it and so matches nothing
   */
  setPolicy(key: string, policy: networking.NetworkPolicy | undefined): readonly string[] {
    const before = this.#policies.get(key);
    if (before !== undefined) this.#forget(key, before);
    if (policy === undefined) return [];
    const compiled = compilePolicy(policy);
    this.#policies.set(key, compiled);
    const siblings = this.#policiesOf.get(compiled.namespace);
    if (siblings === undefined) this.#policiesOf.set(compiled.namespace, new Map([[key, compiled]]));
    else siblings.set(key, compiled);
    this.#reselect(compiled.namespace);
    return compiled.errors;
  }

  /** The table as it must be now. */
  table(): NftTable {
    this.#parts ??= this.#isolate();
    const parts = this.#parts;
    const live = [...this.#live.values()].flatMap((elements) => elements.sets());
    return {
      family: "inet",
      name: this.#options.tableName,
      chains: [...baseChains, ...parts.chains],
      sets: [...parts.sets, ...live],
    };
  }

  /** Sizes of a table that {@link table} returned last. */
  sizeOf({ chains, sets }: NftTable): PolicyTableSize {
    return {
      policies: this.#policies.size,
      pods: this.#pods.size,
      isolatedPods: this.#isolatedPods,
      chains: chains.length,
      elements: sets.reduce((sum, { elements }) => sum + elements.size, 0),
    };
  }

  #forget(key: string, { namespace }: CompiledPolicy): void {
    this.#policies.delete(key);
    const siblings = this.#policiesOf.get(namespace);
    siblings?.delete(key);
    if (siblings?.size === 0) this.#policiesOf.delete(namespace);
    this.#reselect(namespace);
  }

  /** The policies of a namespace have changed. */
  #reselect(namespace: string): void {
    for (const pod of this.#pods.inNamespace(namespace)) {
      if (!pod.isLocal) continue;
      this.#selecting.delete(pod.key);
      this.#parts = undefined;
    }
  }

  #assign(addresses: Iterable<AddressOfPod>): void {
    for (const address of addresses) for (const live of this.#live.values()) live.assign(address);
  }

  #isolate(): IsolationParts {
    const pods: IsolatedPod[] = [];
    for (const pod of this.#localPods.values()) {
      const policies = this.#policiesSelecting(pod);
      if (policies.length === 0) continue;
      pods.push({
        addresses: [...this.#pods.addressesOf(pod)].map(({ address }) => address),
        allowed: {
          ingress: policies.flatMap(({ allowed: { ingress } }) => ingress ?? []),
          egress: policies.flatMap(({ allowed: { egress } }) => egress ?? []),
        },
      });
    }
    this.#isolatedPods = pods.length;
    const parts = isolationParts(pods);
    this.#keepLive(parts);
    return parts;
  }

  #policiesSelecting(pod: PolicyPod): readonly CompiledPolicy[] {
    const known = this.#selecting.get(pod.key);
    if (known !== undefined) return known;
    const candidates = [...(this.#policiesOf.get(pod.namespace)?.values() ?? [])];
    const found = candidates.filter(({ pods }) => pods?.matches(pod.labels) === true);
    this.#selecting.set(pod.key, found);
    return found;
  }

  /** Fills sets that are new and forgets those that no chain refers to any more. */
  #keepLive({ liveSets }: IsolationParts): void {
    const wanted = new Set(liveSets.map(({ name }) => name));
    for (const name of this.#live.keys()) if (!wanted.has(name)) this.#live.delete(name);
    for (const spec of liveSets) {
      if (this.#live.has(spec.name)) continue;
      const elements = new LiveElements(spec, (namespace) => this.#namespaces.get(namespace));
      for (const address of this.#pods.addresses()) elements.assign(address);
      this.#live.set(spec.name, elements);
    }
  }
}
