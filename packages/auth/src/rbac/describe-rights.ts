import type { rbac } from "@orchernetes/api";

type Rule = rbac.PolicyRule;

/** Maximum number of rights in a message: clients choose how many there are. */
const maxDescribed = 100;

/**
 * Returns rights as sorted texts in the form that Kubernetes' messages have, such as `{APIGroups:[""], Resources:["pods"], Verbs:["get"]}`.
 * Rights on the same resources are merged, and at most a hundred are shown.
 */
export function describeRights(rights: readonly Rule[]): readonly string[] {
  const together = new Map<string, Omit<Rule, "verbs"> & { readonly verbs: string[] }>();
  for (const { verbs, ...rest } of rights) {
    const key = JSON.stringify(rest);
    const known = together.get(key);
    if (known === undefined) together.set(key, { ...rest, verbs: [...verbs] });
    else for (const verb of verbs) known.verbs.push(verb);
  }
  const texts = [...new Set([...together.values()].map(describe))].sort();
  return texts.length > maxDescribed
    ? [...texts.slice(0, maxDescribed), `and ${texts.length - maxDescribed} more`]
    : texts;
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
    const list = rule[part] ?? [];
    return list.length === 0 ? [] : [`${label}:[${shown(list)}]`];
  });
  return `{${parts.join(", ")}}`;
}

function shown(list: readonly string[]): string {
  const texts = list.slice(0, maxDescribed).map((one) => JSON.stringify(one));
  return texts.join(" ") + (list.length > maxDescribed ? " …" : "");
}
