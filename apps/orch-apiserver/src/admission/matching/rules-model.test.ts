import { labelSelectorAsSelector, seededNumbers } from "@orchernetes/apimachinery";
import { expect, test } from "vitest";
import { matchesRules, type RuleSubject, type RuleWithOperations } from "./rules.ts";

const random = seededNumbers(27);
const one = <T>(...from: readonly T[]): T => from[random(from.length)] as T;
const some = <T>(...from: readonly T[]): T[] => from.filter(() => random(2) === 0);

/** A rule as it is documented. */
function means(rule: RuleWithOperations, { operation, resource, subresource, namespace, name }: RuleSubject): boolean {
  const has = (list: readonly string[] | undefined, value: string) =>
    list?.some((each) => each === "*" || each === value);
  const clusterWide = namespace === "" || (resource.group === "" && resource.resource === "namespaces");
  if (rule.scope === "Cluster" && !clusterWide) return false;
  if (rule.scope === "Namespaced" && clusterWide) return false;
  const patterns = (rule.resources ?? []).map((text) => text.split("/"));
  const inResources = patterns.some(
    ([plural = "", sub = ""]) => ["*", resource.resource].includes(plural) && ["*", subresource].includes(sub),
  );
  return (
    has(rule.operations, operation) === true &&
    has(rule.apiGroups, resource.group) === true &&
    has(rule.apiVersions, resource.version) === true &&
    inResources &&
    (!rule.resourceNames?.length || rule.resourceNames.includes(name))
  );
}

test("20,000 random writes are matched against rules as a plain model does", () => {
  let matched = 0;
  for (let i = 0; i < 20_000; i++) {
    const rules = Array.from(
      { length: 1 + random(2) },
      (): RuleWithOperations => ({
        operations: some("CREATE", "UPDATE", "DELETE", "CONNECT", "*"),
        apiGroups: some("", "apps", "*"),
        apiVersions: some("v1", "v1beta1", "*"),
        resources: some("pods", "pods/log", "pods/*", "*", "*/*", "*/scale", "namespaces"),
        ...(random(2) === 0 && { scope: one("*", "Cluster", "Namespaced") }),
        ...(random(4) === 0 && { resourceNames: some("a", "b") }),
      }),
    );
    const plural = one("pods", "deployments", "namespaces");
    const subject: RuleSubject = {
      operation: one("CREATE", "UPDATE", "DELETE", "CONNECT"),
      resource: { group: one("", "apps"), version: one("v1", "v1beta1", "v2"), resource: plural },
      subresource: one("", "log", "scale"),
      namespace: one("", "n"),
      name: one("", "a", "c"),
    };
    const want = rules.some((rule) => means(rule, subject));
    if (want) matched++;
    if (matchesRules(rules, subject) !== want) expect({ rules, subject }).toBe(want);
  }
  expect(matched).toBeGreaterThan(2_000);
});

test("20,000 random label selectors select as a plain model does", () => {
  type Labels = Readonly<Record<string, string>>;
  const keys = ["app", "example.com/tier", "constructor"] as const;
  const values = ["", "a", "b"] as const;
  const labels = (): Labels =>
    Object.fromEntries(keys.filter(() => random(2) === 0).map((key) => [key, one(...values)]));
  const expression = () => {
    const operator = one("In" as const, "NotIn" as const, "Exists" as const, "DoesNotExist" as const);
    const listed = operator === "In" || operator === "NotIn" ? [one(...values), ...some(...values)] : undefined;
    return { key: one(...keys), operator, ...(listed && { values: listed }) };
  };
  for (let i = 0; i < 20_000; i++) {
    const selector = {
      matchLabels: random(2) === 0 ? labels() : {},
      matchExpressions: some(expression(), expression()),
    };
    const found = labels();
    const has = (key: string) => Object.hasOwn(found, key);
    const want =
      Object.entries(selector.matchLabels).every(([key, value]) => has(key) && found[key] === value) &&
      selector.matchExpressions.every(({ key, operator, values: listed = [] }) => {
        if (operator === "Exists") return has(key);
        if (operator === "DoesNotExist") return !has(key);
        const isListed = has(key) && listed.some((value) => value === found[key]);
        return operator === "In" ? isListed : !isListed;
      });
    if (labelSelectorAsSelector(selector).matches(found) !== want) expect({ selector, found }).toBe(want);
  }
  expect(labelSelectorAsSelector(undefined).matches({})).toBe(false);
  expect(labelSelectorAsSelector({}).matches({ a: "b" })).toBe(true);
});
