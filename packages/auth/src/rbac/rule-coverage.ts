import type { rbac } from "@orchernetes/api";
import { withoutStars } from "./rule-match.ts";

type Rule = rbac.PolicyRule;
type List = readonly string[] | undefined;

/** Limit for splitting rules into single rights; rules that expand to more are compared as a whole. */
const maxParts = 10_000;

/** Limit for comparisons of an entry with a rule. Rights undecided by then count as not covered. */
const maxComparisons = 1_000_000;

const listed = (list: List): readonly string[] => list ?? [];

/** A list as a set, which is made when it is first needed: most comparisons end at the first list that differs. */
class LazySet {
  readonly #list: List;
  #set: ReadonlySet<string> | undefined;

  constructor(list: List) {
    this.#list = list;
  }

  get size(): number {
    return this.#list?.length ?? 0;
  }

  has(one: string): boolean {
    this.#set ??= new Set(this.#list);
    return this.#set.has(one);
  }
}

/** A held rule, prepared for lookups. */
class HeldRule {
  readonly #verbs: LazySet;
  readonly #groups: LazySet;
  readonly #resources: LazySet;
  readonly #names: LazySet;
  readonly #urls: LazySet;
  readonly #urlPrefixes: readonly string[];

  constructor(rule: Rule) {
    this.#verbs = new LazySet(rule.verbs);
    this.#groups = new LazySet(rule.apiGroups);
    this.#resources = new LazySet(rule.resources);
    this.#names = new LazySet(rule.resourceNames);
    this.#urls = new LazySet(rule.nonResourceURLs);
    this.#urlPrefixes = listed(rule.nonResourceURLs)
      .filter((url) => url.endsWith("*"))
      .map(withoutStars);
  }

  /** Whether it allows all that the other rule allows. */
  covers(wanted: Rule, work: Comparisons): boolean {
    return (
      hasAll(this.#verbs, wanted.verbs, work) &&
      hasAll(this.#groups, wanted.apiGroups, work) &&
      this.#coversResources(wanted.resources, work) &&
      this.#coversUrls(wanted.nonResourceURLs, work) &&
      this.#coversNames(wanted.resourceNames, work)
    );
  }

  #coversResources(wanted: List, work: Comparisons): boolean {
    if (this.#resources.has("*")) return true;
    return listed(wanted).every(
      (one) =>
        work.one() &&
        (this.#resources.has(one) || (one.includes("/") && this.#resources.has(`*/${one.split("/", 2)[1]}`))),
    );
  }

  #coversNames(wanted: List, work: Comparisons): boolean {
    if (this.#names.size === 0) return true;
    return listed(wanted).length > 0 && listed(wanted).every((one) => work.one() && this.#names.has(one));
  }

  #coversUrls(wanted: List, work: Comparisons): boolean {
    return listed(wanted).every(
      (url) =>
        work.one() && (this.#urls.has(url) || this.#urlPrefixes.some((prefix) => work.one() && url.startsWith(prefix))),
    );
  }
}

function hasAll(owned: LazySet, wanted: List, work: Comparisons): boolean {
  return owned.has("*") || listed(wanted).every((one) => work.one() && owned.has(one));
}

/** Limits the number of comparisons: rules come from clients, and every held one is compared with every wanted one. */
class Comparisons {
  #left = maxComparisons;

  /** Counts a comparison; false once the limit is exceeded. */
  one(): boolean {
    return this.#left-- > 0;
  }

  get exceeded(): boolean {
    return this.#left < 0;
  }
}

/** The single rights that a rule is made of: one verb on one resource (of one name) of one group, or on one URL. */
function* partsOf(rule: Rule): Generator<Rule> {
  const { verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const names: readonly (readonly string[])[] = resourceNames.length === 0 ? [[]] : resourceNames.map((name) => [name]);
  for (const apiGroup of apiGroups) {
    for (const resource of resources) {
      for (const verb of verbs) {
        for (const name of names) {
          const named = name.length === 0 ? {} : { resourceNames: name };
          yield { apiGroups: [apiGroup], resources: [resource], verbs: [verb], ...named };
        }
      }
    }
  }
  for (const url of nonResourceURLs) for (const verb of verbs) yield { nonResourceURLs: [url], verbs: [verb] };
}

function numberOfParts({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: Rule): number {
  const count = (list: List): number => listed(list).length;
  const ofResources = count(apiGroups) * count(resources) * Math.max(1, count(resourceNames));
  return count(verbs) * (ofResources + count(nonResourceURLs));
}

/**
 * Returns the rights of `wanted` that no rule of `owned` covers. The time is bounded for any input: rights that are undecided when a limit
 * is reached count as missing.
 */
export function missingRights(owned: readonly Rule[], wanted: readonly Rule[]): readonly Rule[] {
  const held = owned.map((rule) => new HeldRule(rule));
  const work = new Comparisons();
  const isHeld = (rule: Rule): boolean => !work.exceeded && held.some((own) => work.one() && own.covers(rule, work));
  let partsLeft = maxParts;
  const missing: Rule[] = [];
  for (const rule of wanted) {
    if (isHeld(rule)) continue;
    partsLeft -= numberOfParts(rule);
    if (partsLeft < 0) missing.push(rule);
    else for (const part of partsOf(rule)) if (!isHeld(part)) missing.push(part);
  }
  return missing;
}
