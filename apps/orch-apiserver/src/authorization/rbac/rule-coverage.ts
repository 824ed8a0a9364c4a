import type { rbac } from "@orchernetes/api";

type Rule = rbac.PolicyRule;
type List = readonly string[] | undefined;

/** Rights that are taken apart one by one; rules with more of them are held or not as a whole. */
const maxParts = 10_000;

const listed = (list: List): readonly string[] => list ?? [];
const hasAll = (owned: List, wanted: List): boolean =>
  listed(owned).includes("*") || listed(wanted).every((one) => listed(owned).includes(one));

function coversResources(owned: List, wanted: List): boolean {
  const have = listed(owned);
  return (
    have.includes("*") ||
    listed(wanted).every((one) => have.includes(one) || (one.includes("/") && have.includes(`*/${one.split("/")[1]}`)))
  );
}

function coversNames(owned: List, wanted: List): boolean {
  const have = listed(owned);
  if (have.length === 0) return true;
  return listed(wanted).length > 0 && listed(wanted).every((one) => have.includes(one));
}

const coversUrls = (owned: List, wanted: List): boolean =>
  listed(wanted).every((url) =>
    listed(owned).some((own) => own === url || (own.endsWith("*") && url.startsWith(own.replace(/\*+$/, "")))),
  );

/** Whether one rule allows all that the other one allows. */
function covers(owned: Rule, wanted: Rule): boolean {
  return (
    hasAll(owned.verbs, wanted.verbs) &&
    hasAll(owned.apiGroups, wanted.apiGroups) &&
    coversResources(owned.resources, wanted.resources) &&
    coversUrls(owned.nonResourceURLs, wanted.nonResourceURLs) &&
    coversNames(owned.resourceNames, wanted.resourceNames)
  );
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

/** The rights of `wanted` that no rule of `owned` gives. */
export function missingRights(owned: readonly Rule[], wanted: readonly Rule[]): readonly Rule[] {
  return wanted.flatMap((rule) => {
    if (owned.some((own) => covers(own, rule))) return [];
    if (numberOfParts(rule) > maxParts) return [rule];
    return [...partsOf(rule)].filter((part) => !owned.some((own) => covers(own, part)));
  });
}

/** Rights as people read them, those on the same things put together; sorted. */
export function describeRights(rights: readonly Rule[]): readonly string[] {
  const together = new Map<string, Rule>();
  for (const { verbs, ...rest } of rights) {
    const key = JSON.stringify(rest);
    together.set(key, { ...rest, verbs: [...(together.get(key)?.verbs ?? []), ...verbs] });
  }
  return [...new Set([...together.values()].map(describe))].sort();
}

const labels = [
  ["APIGroups", "apiGroups"],
  ["Resources", "resources"],
  ["NonResourceURLs", "nonResourceURLs"],
  ["ResourceNames", "resourceNames"],
  ["Verbs", "verbs"],
] as const;

function describe(rule: Rule): string {
  const parts = labels.flatMap(([label, part]) => {
    const list = listed(rule[part]);
    return list.length === 0 ? [] : [`${label}:[${list.map((one) => JSON.stringify(one)).join(" ")}]`];
  });
  return `{${parts.join(", ")}}`;
}
