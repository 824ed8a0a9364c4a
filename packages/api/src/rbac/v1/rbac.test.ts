import { describe, expect, test } from "vitest";
import { create, defaulted, row, update } from "../../../test/support.ts";
import { clusterRoleBindings, roleBindings } from "./role-bindings.ts";
import { clusterRoles, roles } from "./roles.ts";

const metadata = { name: "system:any:Name" };
const rule = { verbs: ["get"], apiGroups: [""], resources: ["pods"] };

test.each<[name: string, rules: object[], errors: string[]]>([
  ["nothing wrong", [rule], []],
  ["no verbs", [{ ...rule, verbs: [] }], ["rules[0].verbs: Required value: verbs must contain at least one value"]],
  [
    "a path",
    [rule, { verbs: ["get"], nonResourceURLs: ["/x"] }],
    ['rules[1].nonResourceURLs: Invalid value: []string{"/x"}: namespaced rules cannot apply to non-resource URLs'],
  ],
  [
    "neither group nor resource",
    [{ verbs: ["get"] }],
    [
      "rules[0].apiGroups: Required value: resource rules must supply at least one api group",
      "rules[0].resources: Required value: resource rules must supply at least one resource",
    ],
  ],
])("role with %s", (_name, rules, errors) => {
  expect(create(roles, { metadata, rules }).errors).toEqual(errors);
});

test.each<[name: string, role: object, errors: string[]]>([
  ["a path", { rules: [{ verbs: ["get"], nonResourceURLs: ["/x"] }] }, []],
  ["aggregation", { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] } }, []],
  [
    "aggregation of nothing",
    { aggregationRule: {} },
    [
      "aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil",
    ],
  ],
])("cluster role with %s", (_name, role, errors) => {
  expect(create(clusterRoles, { metadata, ...role }).errors).toEqual(errors);
});

describe("bindings", () => {
  const roleRef = { kind: "Role", name: "r" };
  const subjects = [
    { kind: "User", name: "jane" },
    { kind: "Group", name: "devs" },
    { kind: "ServiceAccount", name: "sa", namespace: "ns" },
  ];

  test("API groups are filled in", () => {
    const binding = defaulted(roleBindings, { metadata, roleRef, subjects });
    expect([binding.roleRef, ...(binding.subjects ?? [])].map(({ apiGroup }) => apiGroup)).toEqual([
      "rbac.authorization.o8s.io",
      "rbac.authorization.o8s.io",
      "rbac.authorization.o8s.io",
      undefined,
    ]);
  });

  test.each<[name: string, subject: object, errors: string[]]>([
    ["a service account of this namespace", { kind: "ServiceAccount", name: "sa" }, []],
    ["no name", { kind: "User", name: "" }, ["subjects[0].name: Required value"]],
    [
      "an unknown kind",
      { kind: "Odd", name: "x" },
      ['subjects[0].kind: Unsupported value: "Odd": supported values: "ServiceAccount", "User", "Group"'],
    ],
    [
      "a foreign group",
      { kind: "User", name: "x", apiGroup: "other" },
      ['subjects[0].apiGroup: Unsupported value: "other": supported values: "rbac.authorization.o8s.io"'],
    ],
  ])("subject: %s", (_name, subject, errors) => {
    expect(create(roleBindings, { metadata, roleRef, subjects: [subject] }).errors).toEqual(errors);
  });

  test("cluster-wide, service accounts name their namespace and roles are cluster roles", () => {
    const input = { metadata, roleRef, subjects: [{ kind: "ServiceAccount", name: "sa" }] };
    expect(create(clusterRoleBindings, input).errors).toEqual([
      'roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"',
      "subjects[0].namespace: Required value",
    ]);
  });

  test("the role is immutable", () => {
    const old = create(roleBindings, { metadata, roleRef }).object;
    expect(update(roleBindings, old, { metadata, roleRef, subjects }).errors).toEqual([]);
    expect(update(roleBindings, old, { metadata, roleRef: { ...roleRef, name: "y" } }).errors).toEqual([
      'roleRef: Invalid value: rbac.RoleRef{APIGroup:"rbac.authorization.o8s.io", Kind:"Role", Name:"y"}: cannot change roleRef',
    ]);
  });

  test("row", () => {
    expect(row(roleBindings, { metadata, roleRef, subjects })).toEqual([
      "system:any:Name",
      "Role/r",
      "<unknown>",
      "jane",
      "devs",
      "ns/sa",
    ]);
  });
});
