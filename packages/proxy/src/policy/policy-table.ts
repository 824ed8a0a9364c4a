import { isDeepStrictEqual } from "node:util";
import type { core, networking } from "@orchernetes/api";
import type { NftDifference } from "../nft/difference.ts";
import { MutableTable } from "../nft/mutable-table.ts";
import type { NftTable } from "../nft/table.ts";
import { type AllowedTraffic, type Direction, nothingAllowed } from "./allowed-traffic.ts";
import { type CompiledPolicy, compilePolicy } from "./compile-policy.ts";
import { type IsolatedPod, isolationParts } from "./isolated-pods.ts";
import { PodIndex } from "./pod-index.ts";
import { type PolicyPod, readPolicyPod } from "./policy-pod.ts";
import { TableParts } from "./table-parts.ts";

type Labels = Readonly<Record<string, string>>;

/** Which pods are isolated, and where. */
export interface PolicyTableOptions {
  /** Policies are enforced for the pods of this node. */
  readonly nodeName: string;
  /** Of the table; unique on the host. */
  readonly tableName: string;
  /**
   * Names of the interfaces that bridge pods of this node. While one of the pods is isolated, pods cannot reach each other by
   * link-local addresses, which no policy can name. Default: none, so that they can.
   */
  readonly bridges?: readonly string[];
}

/** An address of a pod that pods of other nodes report, too. */
export interface AddressConflict {
  readonly address: string;
  /** The key of the pod that the address belongs to. */
  readonly owner: string;
}

interface SelectingPolicy {
  readonly key: string;
  readonly policy: CompiledPolicy;
}

/** Interfaces may have other names, but not in the language of nft. */
const INTERFACE_NAME = /^[^\s/"*\\]{1,15}$/;

/**
 * The network policies of a cluster as a table for the pods of one node, kept up to date object by object. The change of a
 * pod costs one test of each selector that the table needs, the change of a policy one test of each pod that it may be
 * about or name; differences contain no more than what has changed.
 */
export class PolicyTable {
  readonly #nodeName: string;
  readonly #bridges: readonly string[];
  readonly #table: MutableTable;
  readonly #parts: TableParts;
  readonly #pods = new PodIndex();
  readonly #localPods = new Map<string, PolicyPod>();
  readonly #namespaces = new Map<string, Labels>();
  readonly #policies = new Map<string, CompiledPolicy>();
  readonly #policiesOf = new Map<string, Map<string, CompiledPolicy>>();
  /** By local pod; absent if it has to be found again. */
  readonly #selecting = new Map<string, readonly SelectingPolicy[]>();
  #suspended: ReadonlySet<string> = new Set();
  #changedPolicies = new Set<string>();
  #isIsolationStale = false;
  #isolatedPods = 0;

  /** @throws RangeError for a bridge whose name cannot be written into a batch */
  constructor({ nodeName, tableName, bridges = [] }: PolicyTableOptions) {
    for (const bridge of bridges)
      if (!INTERFACE_NAME.test(bridge))
        throw new RangeError(`Cannot use ${JSON.stringify(bridge)} as a name of a bridge`);
    this.#nodeName = nodeName;
    this.#bridges = bridges;
    this.#table = new MutableTable({ family: "inet", name: tableName });
    this.#parts = new TableParts(this.#table, (namespace) => this.#namespaces.get(namespace));
  }

  /** Keys of all policies. */
  get policyKeys(): readonly string[] {
    return [...this.#policies.keys()];
  }

  /** Keys of the policies that allow nothing, whatever their rules are. */
  get suspended(): ReadonlySet<string> {
    return this.#suspended;
  }

  /** Policies that have more of something than is enforced, and so allow nothing. */
  get tooLargePolicies(): number {
    let count = 0;
    for (const { isTooLarge } of this.#policies.values()) if (isTooLarge) count++;
    return count;
  }

  /** Pods of this node that a policy isolated when the table was last asked for. */
  get isolatedPods(): number {
    return this.#isolatedPods;
  }

  /** Addresses that pods of several nodes report. */
  get contestedAddresses(): number {
    return this.#pods.contested;
  }

  /**
   * A pod was added or changed, or is gone if it is undefined. The key is its namespace, a slash and its name.
   *
   * @returns which addresses have become contested by this: pods of several nodes report them
   */
  setPod(key: string, pod: core.Pod | undefined): readonly AddressConflict[] {
    const before = this.#pods.get(key);
    const next = pod && readPolicyPod(key, pod, this.#nodeName);
    if (JSON.stringify(before) === JSON.stringify(next)) return [];
    const moved = this.#pods.set(key, next);
    for (const live of this.#parts.live()) for (const address of moved) live.assign(address);
    if (next?.isLocal === true) this.#localPods.set(key, next);
    else this.#localPods.delete(key);
    // Pods of other nodes take no address away from those of this one.
    if (before?.isLocal === true || next?.isLocal === true) {
      this.#selecting.delete(key);
      this.#isIsolationStale = true;
    }
    return moved.flatMap(({ address, pod: owner, becameContested }) =>
      becameContested && owner !== undefined ? [{ address: address.text, owner: owner.key }] : [],
    );
  }

  /** A namespace was added or changed, or is gone if its labels are undefined. */
  setNamespace(name: string, labels: Labels | undefined): void {
    if (JSON.stringify(this.#namespaces.get(name)) === JSON.stringify(labels)) return;
    if (labels === undefined) this.#namespaces.delete(name);
    else this.#namespaces.set(name, labels);
    const affected = [...this.#parts.live()].filter(({ spec }) => spec.usesNamespaces);
    for (const pod of this.#pods.inNamespace(name))
      for (const address of this.#pods.addressesOf(pod)) for (const live of affected) live.assign(address);
  }

  /**
   * A policy was added or changed, or is gone if it is undefined. The key is its namespace, a slash and its name. A change of
   * something else than its specification is none: it stays suspended if it is.
   *
   * @returns what is not valid in it and so matches nothing; nothing if it is the same as before
   */
  setPolicy(key: string, policy: networking.NetworkPolicy | undefined): readonly string[] {
    const before = this.#policies.get(key);
    if (before !== undefined && policy !== undefined && isDeepStrictEqual(before.spec, policy.spec)) return [];
    if (before !== undefined) this.#forget(key, before);
    this.#changedPolicies.delete(key);
    if (this.#suspended.has(key)) this.suspend([...this.#suspended].filter((other) => other !== key));
    if (policy === undefined) return [];
    const compiled = compilePolicy(policy);
    this.#policies.set(key, compiled);
    this.#changedPolicies.add(key);
    const siblings = this.#policiesOf.get(compiled.namespace);
    if (siblings === undefined) this.#policiesOf.set(compiled.namespace, new Map([[key, compiled]]));
    else siblings.set(key, compiled);
    this.#reselect(compiled.namespace);
    return compiled.errors;
  }

  /**
   * Makes policies allow nothing until they change, and others hold again: a policy that cannot be loaded isolates its pods
   * all the same.
   *
   * @param keys all that are to be suspended
   */
  suspend(keys: readonly string[]): void {
    this.#suspended = new Set(keys);
    this.#isIsolationStale = true;
  }

  /** Keys of the policies that have come or changed since the last call. */
  takeChangedPolicies(): readonly string[] {
    const changed = [...this.#changedPolicies];
    this.#changedPolicies = new Set();
    return changed;
  }

  /**
   * The policies that allow something to pods of this node, without those that are suspended: the most work for the packet
   * filter first, and of two with the same the one that has changed later.
   */
  policiesByWeight(): readonly string[] {
    const inEffect = new Set([...this.#localPods.values()].flatMap((pod) => this.#policiesSelecting(pod)));
    const weights = new Map([...inEffect].map(({ key, policy }) => [key, policy.weight]));
    return this.policyKeys
      .filter((key) => weights.has(key) && !this.#suspended.has(key))
      .reverse()
      .sort((a, b) => (weights.get(b) ?? 0) - (weights.get(a) ?? 0));
  }

  /** The table as it must be now. Its elements change with this object. */
  table(): NftTable {
    this.#isolate();
    return this.#table.table();
  }

  /** What has changed since the last call, or since the object was created. */
  takeDifference(): NftDifference {
    this.#isolate();
    return this.#table.takeDifference();
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
    for (const pod of this.#localPods.values()) {
      if (pod.namespace !== namespace) continue;
      this.#selecting.delete(pod.key);
      this.#isIsolationStale = true;
    }
  }

  #isolate(): void {
    if (!this.#isIsolationStale) return;
    const pods: IsolatedPod[] = [];
    for (const pod of this.#localPods.values()) {
      const policies = this.#policiesSelecting(pod);
      if (policies.length === 0) continue;
      pods.push({
        addresses: [...this.#pods.addressesOf(pod)].map(({ address }) => address),
        allowed: { ingress: this.#allowed("ingress", policies), egress: this.#allowed("egress", policies) },
      });
    }
    this.#parts.replace(isolationParts(pods, this.#bridges), this.#pods);
    this.#isolatedPods = pods.length;
    this.#isIsolationStale = false;
  }

  #allowed(direction: Direction, policies: readonly SelectingPolicy[]): readonly AllowedTraffic[] {
    return policies.flatMap(({ key, policy: { allowed } }) => {
      const traffic = allowed[direction];
      if (traffic === undefined) return [];
      return [this.#suspended.has(key) ? nothingAllowed : traffic];
    });
  }

  #policiesSelecting(pod: PolicyPod): readonly SelectingPolicy[] {
    const known = this.#selecting.get(pod.key);
    if (known !== undefined) return known;
    const candidates = [...(this.#policiesOf.get(pod.namespace) ?? [])];
    const found = candidates.flatMap(([key, policy]) =>
      policy.pods?.matches(pod.labels) === true ? [{ key, policy }] : [],
    );
    this.#selecting.set(pod.key, found);
    return found;
  }
}
