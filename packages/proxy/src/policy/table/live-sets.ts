import type { InterruptibleSteps } from "@orchernetes/kernel";
import type { MutableTable } from "../../nft/mutable-table.ts";
import { isSelectedNamespace, type LiveSetSpec, type NamespaceLabels } from "../compile/live-set.ts";
import type { PodIndex } from "../pods/pod-index.ts";
import { type PodSelection, SelectionIndex } from "../pods/pod-selection.ts";
import type { PolicyPod } from "../pods/policy-pod.ts";
import type { Address } from "../values/addresses.ts";
import { LiveElements } from "./live-elements.ts";

/** An address that has changed hands, and the pods that have had it since the sets were last brought up to date. */
export interface FormerOwners {
  readonly address: Address;
  readonly pods: Set<PolicyPod>;
}

/** Pods or namespaces between two steps. */
const ITEMS_IN_STEP = 32;

/** The sets of a table that pods of the whole cluster belong to. Pods and namespaces may change between the steps of its work. */
export class LiveSets {
  readonly #table: MutableTable;
  readonly #pods: PodIndex;
  readonly #namespaces: NamespaceLabels;
  readonly #sets = new Map<string, LiveElements>();
  readonly #bySelection = new SelectionIndex<LiveElements>();

  constructor(table: MutableTable, pods: PodIndex, namespaces: NamespaceLabels) {
    this.#table = table;
    this.#pods = pods;
    this.#namespaces = namespaces;
  }

  get isEmpty(): boolean {
    return this.#sets.size === 0;
  }

  /** Names of all of them. */
  names(): readonly string[] {
    return [...this.#sets.keys()];
  }

  /** The number of elements of a set; 0 if it is not there. */
  sizeOf(name: string): number {
    return this.#sets.get(name)?.size ?? 0;
  }

  /** Adds a set with its elements, unless it is there. Returns the number of its elements. */
  *add(spec: LiveSetSpec): InterruptibleSteps<number> {
    const known = this.#sets.get(spec.name);
    if (known !== undefined) return known.size;
    const live = new LiveElements(spec, this.#table, this.#namespaces);
    // Before it is filled: changes of pods between the steps are assigned to it, too.
    this.#sets.set(spec.name, live);
    this.#bySelection.add(live, spec.selections);
    const seen = new Set<PolicyPod>();
    for (const selection of spec.selections) yield* this.#fill(live, selection, seen);
    return live.size;
  }

  remove(name: string): void {
    const live = this.#sets.get(name);
    if (live === undefined) return;
    this.#sets.delete(name);
    this.#bySelection.delete(live, live.spec.selections);
    live.remove();
  }

  /** Puts addresses where they belong now, and takes them from where they belonged to. */
  *moveAddresses(touched: Iterable<FormerOwners>): InterruptibleSteps<void> {
    for (const { address, pods } of touched) {
      const pod = this.#pods.ownerOf(address);
      const affected = new Set<LiveElements>();
      for (const owner of pod === undefined ? pods : [...pods, pod])
        for (const live of this.#bySelection.candidates(owner)) affected.add(live);
      for (const live of affected) live.assign({ address, pod });
      yield;
    }
  }

  /** The labels of a namespace have changed. */
  *movePodsOf(namespace: string): InterruptibleSteps<void> {
    for (const pod of this.#pods.inNamespace(namespace)) {
      const affected = new Set<LiveElements>();
      for (const live of this.#bySelection.candidates(pod)) if (live.spec.usesNamespaces) affected.add(live);
      for (const address of this.#pods.addressesOf(pod)) for (const live of affected) live.assign(address);
      yield;
    }
  }

  /** @param seen the pods that are in it, or are not, as far as this is known */
  *#fill(live: LiveElements, { namespace, traits }: PodSelection, seen: Set<PolicyPod>): InterruptibleSteps<void> {
    let count = 0;
    for (const name of typeof namespace === "string" ? [namespace] : this.#pods.namespaces()) {
      if (++count % ITEMS_IN_STEP === 0) yield;
      if (!isSelectedNamespace(namespace, name, this.#namespaces)) continue;
      if (traits !== undefined) yield* this.#pods.prepare(name);
      for (const pod of this.#pods.inNamespace(name, traits)) {
        if (seen.has(pod)) continue;
        seen.add(pod);
        for (const address of this.#pods.addressesOf(pod)) live.assign(address);
        if (++count % ITEMS_IN_STEP === 0) yield;
      }
    }
  }
}
