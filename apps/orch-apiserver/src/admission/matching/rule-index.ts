import type { ResourceDefinition } from "@orchernetes/apimachinery";
import type {
  AdmissionAttributes,
  AdmissionOperation,
  GroupVersionKind,
  GroupVersionResource,
  MutatingAttributes,
  Registry,
} from "@orchernetes/apiserver";
import { EquivalentResources } from "./equivalent-resources.ts";
import type { MatchCriteria } from "./match-criteria.ts";
import { matchRules } from "./match-rules.ts";
import { namespaceOf } from "./selectors.ts";

/** An item whose rules are about a write. */
export interface Candidate<T> {
  readonly item: T;
  /** Form in which the item wants to see the objects. */
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
}

type Table<T> = Readonly<Record<AdmissionOperation, Map<string, readonly Candidate<T>[]>>>;

/**
 * Which of a list of hooks or policies may concern a write, by their rules. The first write of an operation on a resource fills a
 * table; the next ones cost a look-up. Selectors and names in rules are left to {@link Matcher}.
 */
export class RuleIndex<T extends { readonly criteria: MatchCriteria }> {
  readonly items: readonly T[];
  readonly #equivalents = new EquivalentResources();
  #generation = -1;
  #tables = new Map<ResourceDefinition, Table<T>>();

  constructor(items: readonly T[]) {
    this.items = items;
  }

  /** In the order of the items. */
  candidates(attributes: AdmissionAttributes | MutatingAttributes, registry: Registry): readonly Candidate<T>[] {
    if (this.items.length === 0) return NONE;
    const { definition, operation, subresource } = attributes;
    if (definition === undefined) return this.#find(attributes, registry);
    if (registry.generation !== this.#generation) {
      this.#generation = registry.generation;
      this.#tables = new Map();
    }
    let table = this.#tables.get(definition);
    if (table === undefined) {
      table = { CREATE: new Map(), UPDATE: new Map(), DELETE: new Map(), CONNECT: new Map() };
      this.#tables.set(definition, table);
    }
    const known = table[operation].get(subresource);
    if (known !== undefined) return known;
    // Objects of a resource either all have a namespace or none has, so that the table holds for rules with a scope, too.
    const found = this.#find(attributes, registry);
    table[operation].set(subresource, found);
    return found;
  }

  #find(attributes: AdmissionAttributes | MutatingAttributes, registry: Registry): readonly Candidate<T>[] {
    const equivalents = this.#equivalents.of(attributes, registry);
    const subject = { ...attributes, namespace: namespaceOf(attributes) };
    return this.items.flatMap((item) => {
      const result = matchRules(item.criteria, subject, equivalents, "possible");
      return result.matches ? [{ item, kind: result.kind, resource: result.resource }] : [];
    });
  }
}

const NONE: readonly never[] = Object.freeze([]);
