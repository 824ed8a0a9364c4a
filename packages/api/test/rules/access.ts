import {
  localSubjectAccessReviews,
  selfSubjectAccessReviews,
  subjectAccessReviews,
} from "../../src/authorization/v1/reviews.ts";
import { clusterRoleBindings, roleBindings } from "../../src/rbac/v1/role-bindings.ts";
import { clusterRoles, roles } from "../../src/rbac/v1/roles.ts";
import { rulesOf } from "./rule.ts";

const r = rulesOf("RBAC", roles);
const c = rulesOf("RBAC", clusterRoles);
const b = rulesOf("RBAC", roleBindings);
const cb = rulesOf("RBAC", clusterRoleBindings);
const rules = (more: object): object => ({
  rules: [{ verbs: ["get"], apiGroups: [""], resources: ["pods"], ...more }],
});
const urls = { verbs: ["get"], nonResourceURLs: ["/a"] };
const group = "rbac.authorization.o8s.io";
const ref = (more: object): object => ({ roleRef: { apiGroup: group, kind: "ClusterRole", name: "r", ...more } });
const subject = (more: object): object => ({ subjects: [more] });

export const rbacRules = [
  r.rule("Role/ClusterRole name", r.named("path"), c.named("path")),
  r.rule(
    "rules[*].verbs",
    r.no(rules({ verbs: [] }), "rules[0].verbs: Required value: verbs must contain at least one value"),
  ),
  r.rule(
    "rules[*]",
    r.no(
      rules({ apiGroups: [] }),
      "rules[0].apiGroups: Required value: resource rules must supply at least one api group",
    ),
    r.no(
      rules({ resources: [] }),
      "rules[0].resources: Required value: resource rules must supply at least one resource",
    ),
    r.no(
      { rules: [urls] },
      'rules[0].nonResourceURLs: Invalid value: []string{"/a"}: namespaced rules cannot apply to non-resource URLs',
    ),
    c.ok({ rules: [urls] }),
    c.no(
      { rules: [{ ...urls, resources: ["pods"] }] },
      'rules[0].nonResourceURLs: Invalid value: []string{"/a"}: rules cannot apply to both regular resources and non-resource URLs',
    ),
  ),
  c.rule(
    "aggregationRule",
    c.no(
      { aggregationRule: {} },
      "aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil",
    ),
  ),
  b.rule(
    "roleRef",
    b.no(ref({ apiGroup: "x" }), `roleRef.apiGroup: Unsupported value: "x": supported values: "${group}"`),
    b.no(ref({ kind: "Odd" }), 'roleRef.kind: Unsupported value: "Odd": supported values: "Role", "ClusterRole"'),
    b.no(ref({ name: "" }), "roleRef.name: Required value"),
    cb.no(ref({ kind: "Role" }), 'roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"'),
    b.fixed({}, ref({ name: "s" }), /^roleRef: Invalid value: rbac\.RoleRef\{.*\}: cannot change roleRef$/),
  ),
  b.rule(
    "subjects[*]",
    b.no(subject({ kind: "User", name: "" }), "subjects[0].name: Required value"),
    b.no(
      subject({ kind: "Odd", name: "a" }),
      'subjects[0].kind: Unsupported value: "Odd": supported values: "ServiceAccount", "User", "Group"',
    ),
    b.no(
      subject({ kind: "User", name: "a", apiGroup: "x" }),
      `subjects[0].apiGroup: Unsupported value: "x": supported values: "${group}"`,
    ),
    cb.no(subject({ kind: "ServiceAccount", name: "a" }), "subjects[0].namespace: Required value"),
  ),
];

const kind = "Authentication and authorization reviews";
const s = rulesOf(kind, subjectAccessReviews);
const l = rulesOf(kind, localSubjectAccessReviews);
const self = rulesOf(kind, selfSubjectAccessReviews);
const review = (more: object): object => ({ spec: more });
const one = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
const both =
  /^spec\.nonResourceAttributes: Invalid value: .*: cannot be specified in combination with resourceAttributes$/;
export const reviewRules = [
  s.rule(
    "SubjectAccessReview.spec",
    s.no(review({ resourceAttributes: null }), `spec.resourceAttributes: Invalid value: "null": ${one}`),
    s.no(review({ nonResourceAttributes: {} }), both),
    s.no(review({ user: "" }), 'spec.user: Invalid value: "": at least one of user or group must be specified'),
  ),
  l.rule(
    "LocalSubjectAccessReview",
    l.no(
      review({ resourceAttributes: { namespace: "other" } }),
      'spec.resourceAttributes.namespace: Invalid value: "other": must match metadata.namespace',
    ),
    l.no(
      review({ resourceAttributes: null, nonResourceAttributes: {} }),
      /^spec\.nonResourceAttributes: Invalid value: .*: disallowed on this kind of request$/,
    ),
  ),
  self.rule("SelfSubjectAccessReview.spec", self.no(review({ nonResourceAttributes: {} }), both)),
];
