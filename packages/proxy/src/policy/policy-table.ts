import type { core, networking } from "@orchernetes/api";
import type { InterruptibleSteps } from "@orchernetes/kernel";
import type { NftDifference } from "../nft/difference.ts";
import { MutableTable } from "../nft/mutable-table.ts";
import type { NftTable } from "../nft/table.ts";
import { type AllowedTraffic, type Direction, nothingAllowed } from "./compile/allowed-traffic.ts";
import type { CompiledPolicy } from "./compile/compile-policy.ts";
import { defaultNamespaceLimits, type NamespaceLimits, weightOf } from "./compile/policy-limits.ts";
import { PolicySet } from "./compile/policy-set.ts";
import { PodIndex, type TouchedAddress } from "./pods/pod-index.ts";
import { type PolicyPod, readPolicyPod } from "./pods/policy-pod.ts";
import { IsolationBuilder } from "./table/isolated-pods.ts";
import { type FormerOwners, LiveSets } from "./table/live-sets.ts";
import { type Admission, NamespaceBudget } from "./table/namespace-budget.ts";
import { TableParts } from "./table/table-parts.ts";
import { isInterfaceName } from "./values/interface-name.ts";

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
  /** @default {@link defaultNamespaceLimits} */
  readonly namespaceLimits?: NamespaceLimits;
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

const SUSPENDED = "the packet filter rejects its rules, or takes too long to load them";

/**
 * The network policies of a cluster as a table for the pods of one node. What is set takes effect with {@link refresh}. The
 * change of a pod costs a look at the selectors that name one of its labels or none, the change of a policy one at the pods that
 * have a label that it names; differences contain no more than what has changed.
 */
export class PolicyTable {
  readonly #nodeName: string;
  readonly #bridges: readonly string[];
  readonly #table: MutableTable;
  readonly #live: LiveSets;
  readonly #parts: TableParts;
  readonly #budget: NamespaceBudget;
  readonly #pods = new PodIndex();
  readonly #localPods = new Map<string, PolicyPod>();
  readonly #namespaces = new Map<string, Labels>();
  readonly #policies = new PolicySet();
  /** By local pod; absent if it has to be found again. */
  readonly #selecting = new Map<string, readonly SelectingPolicy[]>();
  #suspended: ReadonlySet<string> = new Set();
  /** By text of the address: what has changed since the last refresh. */
  #touched = new Map<string, FormerOwners>();
  #changedNamespaces = new Set<string>();
  #isIsolationStale = false;
  /** By namespace, of the last refresh. */
  #admissions: ReadonlyMap<string, Admission> = new Map();
  #unenforced: ReadonlyMap<string, string> = new Map();
  #isolatedPods = 0;

  /** @throws RangeError for a bridge whose name cannot be written into a batch */
  constructor(options: PolicyTableOptions) {
    const { nodeName, tableName, bridges = [], namespaceLimits = defaultNamespaceLimits } = options;
    for (const bridge of bridges)
      if (!isInterfaceName(bridge)) throw new RangeError(`invalid name of a bridge: ${JSON.stringify(bridge)}`);
    this.#nodeName = nodeName;
    this.#bridges = bridges;
    this.#table = new MutableTable({ family: "inet", name: tableName });
    this.#live = new LiveSets(this.#table, this.#pods, (namespace) => this.#namespaces.get(namespace));
    this.#parts = new TableParts(this.#table, this.#live);
    this.#budget = new NamespaceBudget(this.#live, namespaceLimits);
  }

  /** Keys of all policies. */
  get policyKeys(): readonly string[] {
    return this.#policies.keys;
  }

  /** Keys of the policies that allow nothing, whatever their rules are. */
  get suspended(): ReadonlySet<string> {
    return this.#suspended;
  }

  /** Policies that have more of something than is enforced, alone or with older ones, and so allow nothing. */
  get tooLargePolicies(): number {
    let count = 0;
    for (const { excess } of this.#policies.values()) if (excess !== undefined) count++;
    for (const { refused } of this.#admissions.values()) count += refused.size;
    return count;
  }

  /** Why policies that select pods of this node allow nothing, by their keys; as of the last refresh. */
  get unenforced(): ReadonlyMap<string, string> {
    return this.#unenforced;
  }

  /** Pods of this node that a policy isolates, as of the last refresh. */
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
    if (!this.#live.isEmpty) for (const touched of moved) this.#touch(touched);
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
    if (!this.#live.isEmpty) this.#changedNamespaces.add(name);
  }

  /**
   * A policy was added or changed, or is gone if it is undefined. The key is its namespace, a slash and its name. A change of
   * something else than its specification is none: it stays suspended if it is.
   *
   * @returns what is not valid in it and so matches nothing; nothing if it is the same as before
   */
  setPolicy(key: string, policy: networking.NetworkPolicy | undefined): readonly string[] {
    const change = this.#policies.set(key, policy);
    if (change === undefined) return [];
    const { before, after, hasOtherRules } = change;
    if (hasOtherRules && this.#suspended.has(key)) this.suspend([...this.#suspended].filter((other) => other !== key));
    for (const namespace of new Set([before?.namespace, after?.namespace]))
      if (namespace !== undefined) this.#reselect(namespace);
    return hasOtherRules ? (after?.errors ?? []) : [];
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
    return this.#policies.takeChanged();
  }

  /**
   * The policies that allow something to pods of this node, without those that are suspended: the most work for the packet
   * filter first, and of two with the same the one that has changed later.
   */
  policiesByWeight(): readonly string[] {
    const inEffect = new Set([...this.#localPods.values()].flatMap((pod) => this.#policiesSelecting(pod)));
    const weights = new Map([...inEffect].map(({ key, policy }) => [key, weightOf(policy.size)]));
    return this.policyKeys
      .filter((key) => weights.has(key) && !this.#suspended.has(key))
      .reverse()
      .sort((a, b) => (weights.get(b) ?? 0) - (weights.get(a) ?? 0));
  }

  /**
   * Brings the table up to date with all that was set before. More may be set between its steps, which is for the next time at the
   * latest; the table must only be read when it has ended. One at a time.
   */
  *refresh(): InterruptibleSteps<void> {
    const [touched, namespaces] = [this.#touched, this.#changedNamespaces];
    this.#touched = new Map();
    this.#changedNamespaces = new Set();
    yield* this.#live.moveAddresses(touched.values());
    for (const namespace of namespaces) yield* this.#live.movePodsOf(namespace);
    if (this.#isIsolationStale || this.#isBudgetStale()) yield* this.#isolate();
  }

  /** The table as of the last refresh. Its elements change with this object. */
  table(): NftTable {
    return this.#table.table();
  }

  /** What refreshes have changed since the last call, or since the object was created. No refresh may happen between the steps. */
  takeDifference(): InterruptibleSteps<NftDifference> {
    return this.#table.takeDifferenceInSteps();
  }

  #touch({ address, before, pod }: TouchedAddress): void {
    if (before === pod) return;
    const owners = this.#touched.get(address.text) ?? { address, pods: new Set() };
    this.#touched.set(address.text, owners);
    if (before !== undefined) owners.pods.add(before);
  }

  /** The policies of a namespace have changed. */
  #reselect(namespace: string): void {
    for (const pod of this.#localPods.values()) {
      if (pod.namespace !== namespace) continue;
      this.#selecting.delete(pod.key);
      this.#isIsolationStale = true;
    }
  }

  /** Whether pods have come or gone, so that other policies than before fit into the limits. */
  #isBudgetStale(): boolean {
    for (const admission of this.#admissions.values())
      if (this.#budget.isExceeded(admission) || this.#budget.hasRoom(admission, this.#pods.size)) return true;
    return false;
  }

  *#isolate(): InterruptibleSteps<void> {
    this.#isIsolationStale = false;
    yield* this.#admit();
    const builder = new IsolationBuilder();
    let count = 0;
    for (const pod of this.#localPods.values()) {
      yield;
      const policies = this.#policiesSelecting(pod);
      if (policies.length === 0) continue;
      count++;
      builder.add({
        addresses: [...this.#pods.addressesOf(pod)].map(({ address }) => address),
        allowed: { ingress: this.#allowed("ingress", policies), egress: this.#allowed("egress", policies) },
      });
    }
    yield* this.#parts.replace(builder.parts(this.#bridges));
    this.#isolatedPods = count;
  }

  /** Decides which of the policies that select pods of this node are in effect. */
  *#admit(): InterruptibleSteps<void> {
    const inEffect = new Map<string, Map<CompiledPolicy, string>>();
    const unenforced = new Map<string, string>();
    for (const pod of this.#localPods.values()) {
      yield;
      for (const { key, policy } of this.#policiesSelecting(pod)) {
        const reason = this.#suspended.has(key) ? SUSPENDED : policy.excess;
        if (reason !== undefined) unenforced.set(key, reason);
        else inEffect.set(policy.namespace, (inEffect.get(policy.namespace) ?? new Map()).set(policy, key));
      }
    }
    const admissions = new Map<string, Admission>();
    for (const [namespace, policies] of inEffect) {
      const admission = yield* this.#budget.admit(policies.keys(), this.#pods.size);
      admissions.set(namespace, admission);
      for (const [policy, reason] of admission.refused) unenforced.set(policies.get(policy) ?? "", reason);
    }
    this.#admissions = admissions;
    this.#unenforced = unenforced;
  }

  #allowed(direction: Direction, policies: readonly SelectingPolicy[]): readonly AllowedTraffic[] {
    return policies.flatMap(({ policy }) => {
      const traffic = policy.allowed[direction];
      if (traffic === undefined) return [];
      // One that has come since the policies were admitted allows nothing until the next time.
      return [this.#admissions.get(policy.namespace)?.admitted.has(policy) === true ? traffic : nothingAllowed];
    });
  }

  #policiesSelecting(pod: PolicyPod): readonly SelectingPolicy[] {
    const known = this.#selecting.get(pod.key);
    if (known !== undefined) return known;
    const found: SelectingPolicy[] = [];
    for (const [key, policy] of this.#policies.inNamespace(pod.namespace))
      if (policy.pods?.matches(pod.labels) === true) found.push({ key, policy });
    this.#selecting.set(pod.key, found);
    return found;
  }
}
