import type { Requirement, Selector } from "@orchernetes/apimachinery";
import type { PolicyProtocol } from "../values/protocols.ts";
import type { PolicyPod } from "./policy-pod.ts";

/** Where the pods of a selection are: in a namespace by name, in namespaces by their labels, or anywhere. */
type Scope = string | Selector | undefined;

/**
 * A superset of the pods that something selects, by which they are found without a look at all others: those that have one of the
 * traits, or all of the namespaces if there are no traits to look for.
 */
export interface PodSelection {
  readonly namespace: Scope;
  readonly traits: readonly string[] | undefined;
}

/** More values of an expression are not looked for one by one. */
const MAX_VALUES = 16;

/** A pod has the label, a pod has the label with this value, or a container of it has a port of this name. Distinct from each other. */
const labelTrait = (key: string, value?: string): string => (value === undefined ? key : `${key}=${value}`);
export const portTrait = (protocol: PolicyProtocol, name: string): string => `:${protocol}/${name}`;

/** What pods can be found by. */
export function* traitsOf({ labels, ports }: Pick<PolicyPod, "labels" | "ports">): Generator<string> {
  for (const key of Object.keys(labels)) {
    yield labelTrait(key);
    yield labelTrait(key, labels[key]);
  }
  for (const { protocol, name } of ports) yield portTrait(protocol, name);
}

/** One of these traits every pod has that the selector selects; undefined if it requires no label. */
export function requiredTraits({ requirements, selectsNothing }: Selector): readonly string[] | undefined {
  if (selectsNothing) return [];
  let best: readonly string[] | undefined;
  for (const requirement of requirements) {
    const traits = traitsIn(requirement);
    if (traits !== undefined && isBetter(traits, best)) best = traits;
  }
  return best;
}

function traitsIn({ key, operator, values }: Requirement): readonly string[] | undefined {
  switch (operator) {
    case "=":
    case "==":
      return values.map((value) => labelTrait(key, value));
    case "in":
      return values.length > MAX_VALUES ? [labelTrait(key)] : values.map((value) => labelTrait(key, value));
    case "exists":
    case "gt":
    case "lt":
      return [labelTrait(key)];
    default:
      return undefined;
  }
}

/** Few values are better than many, and any are better than a label with whatever value. */
function isBetter(traits: readonly string[], other: readonly string[] | undefined): boolean {
  const rank = (list: readonly string[]) => (list.some((trait) => trait.includes("=")) ? list.length : MAX_VALUES + 1);
  return other === undefined || rank(traits) < rank(other);
}

/** Leaves out those that are there twice. */
export function distinctSelections(selections: readonly PodSelection[]): readonly PodSelection[] {
  const textOf = ({ namespace, traits }: PodSelection) =>
    JSON.stringify([typeof namespace, namespace?.toString(), traits]);
  return [...new Map(selections.map((selection) => [textOf(selection), selection])).values()];
}

/** Finds by a pod whatever may select it. */
export class SelectionIndex<T> {
  readonly #items = new Map<string, Set<T>>();

  add(item: T, selections: readonly PodSelection[]): void {
    for (const key of keysOf(selections)) {
      const items = this.#items.get(key);
      if (items === undefined) this.#items.set(key, new Set([item]));
      else items.add(item);
    }
  }

  delete(item: T, selections: readonly PodSelection[]): void {
    for (const key of keysOf(selections)) {
      const items = this.#items.get(key);
      items?.delete(item);
      if (items?.size === 0) this.#items.delete(key);
    }
  }

  /** What has a selection that the pod can be in. An item may come more than once. */
  *candidates(pod: PolicyPod): Generator<T> {
    for (const namespace of [undefined, pod.namespace]) {
      yield* this.#items.get(keyOf(namespace, undefined)) ?? [];
      for (const trait of traitsOf(pod)) yield* this.#items.get(keyOf(namespace, trait)) ?? [];
    }
  }
}

function* keysOf(selections: readonly PodSelection[]): Generator<string> {
  for (const { namespace, traits } of selections) {
    const name = typeof namespace === "string" ? namespace : undefined;
    if (traits === undefined) yield keyOf(name, undefined);
    else for (const trait of traits) yield keyOf(name, trait);
  }
}

/** Neither names of namespaces nor traits have blanks. */
const keyOf = (namespace: string | undefined, trait: string | undefined): string => `${namespace ?? ""} ${trait ?? ""}`;
