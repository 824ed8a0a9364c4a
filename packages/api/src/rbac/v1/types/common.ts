import { type Infer, list, message, optional, required, string } from "@orchernetes/apimachinery";

const pkg = "rbac/v1";

export const PolicyRule = message(pkg, "PolicyRule", () => ({
  verbs: required(1, list(string)),
  apiGroups: optional(2, list(string)),
  resources: optional(3, list(string)),
  resourceNames: optional(4, list(string)),
  nonResourceURLs: optional(5, list(string)),
}));
export interface PolicyRule extends Infer<typeof PolicyRule> {}

export const Subject = message(
  pkg,
  "Subject",
  () => ({
    kind: required(1, string),
    apiGroup: optional(2, string),
    name: required(3, string),
    namespace: optional(4, string),
  }),
  { atomic: true },
);
export interface Subject extends Infer<typeof Subject> {}

export const RoleRef = message(
  pkg,
  "RoleRef",
  () => ({
    apiGroup: required(1, string),
    kind: required(2, string),
    name: required(3, string),
  }),
  { atomic: true },
);
export interface RoleRef extends Infer<typeof RoleRef> {}
