import type { rbac } from "@orchernetes/api";
import { expect, test } from "vitest";
import { describeRights } from "./describe-rights.ts";
import { missingRights } from "./rule-coverage.ts";

const rule = (verbs: string, apiGroups: string, resources: string, ...resourceNames: string[]): rbac.PolicyRule => ({
  verbs: verbs.split(","),
  apiGroups: apiGroups.split(","),
  resources: resources.split(","),
  ...(resourceNames.length > 0 && { resourceNames }),
});
const urls = (verbs: string, ...nonResourceURLs: string[]): rbac.PolicyRule => ({
  verbs: verbs.split(","),
  nonResourceURLs,
});

test.each<[what: string, owned: rbac.PolicyRule[], wanted: rbac.PolicyRule[], missing: string[]]>([
  ["the same", [rule("get", "", "pods")], [rule("get", "", "pods")], []],
  ["nothing held", [], [rule("get,list", "", "pods")], ['{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}']],
  ["all held", [rule("*", "*", "*")], [rule("get", "a", "b/c", "d")], []],
  ["held in parts", [rule("get", "", "pods"), rule("list", "", "pods")], [rule("get,list", "", "pods")], []],
  [
    "all asked for",
    [rule("get", "", "pods")],
    [rule("*", "*", "*")],
    ['{APIGroups:["*"], Resources:["*"], Verbs:["*"]}'],
  ],
  ["a subresource of any", [rule("get", "", "*/log")], [rule("get", "", "pods/log")], []],
  [
    "the resource of a subresource",
    [rule("get", "", "*/log")],
    [rule("get", "", "pods")],
    ['{APIGroups:[""], Resources:["pods"], Verbs:["get"]}'],
  ],
  ["one name", [rule("get", "", "pods")], [rule("get", "", "pods", "a")], []],
  [
    "any name",
    [rule("get", "", "pods", "a")],
    [rule("get", "", "pods")],
    ['{APIGroups:[""], Resources:["pods"], Verbs:["get"]}'],
  ],
  [
    "another name",
    [rule("get", "", "pods", "a")],
    [rule("get", "", "pods", "a", "b")],
    ['{APIGroups:[""], Resources:["pods"], ResourceNames:["b"], Verbs:["get"]}'],
  ],
  ["below a URL", [urls("get", "/a/*")], [urls("get", "/a/b", "/a/c/*")], []],
  ["beside a URL", [urls("get", "/a/*")], [urls("get", "/a")], ['{NonResourceURLs:["/a"], Verbs:["get"]}']],
  ["URLs are no resources", [rule("*", "*", "*")], [urls("get", "/a")], ['{NonResourceURLs:["/a"], Verbs:["get"]}']],
])("rights: %s", (_, owned, wanted, missing) => {
  expect(describeRights(missingRights(owned, wanted))).toEqual(missing);
});

test("huge rules are not taken apart", () => {
  const many = Array.from({ length: 300 }, (_, i) => `r${i}`);
  const wanted = { verbs: many, apiGroups: many, resources: many };
  expect(missingRights([rule("get", "", "pods")], [wanted])).toEqual([wanted]);
  expect(missingRights([rule("*", "*", "*")], [wanted])).toEqual([]);
});
