import { defineResource } from "@orchernetes/apimachinery";
import { allVerbs } from "../../meta/verbs.ts";
import { createdAt, name } from "../../shared/index.ts";
import { Role } from "./types/role.ts";
import { rbacGroup, validatePolicyRules } from "./validation.ts";

/** Rights within one namespace. */
export const roles = defineResource<Role>({
  group: rbacGroup,
  version: "v1",
  kind: "Role",
  plural: "roles",
  singular: "role",
  scope: "Namespaced",
  verbs: allVerbs,
  schema: Role,
  storagePrefix: "/registry/roles",
  strategy: {
    nameFormat: "path",
    validate: ({ rules }) => validatePolicyRules(rules, true),
    validateUpdate: ({ rules }) => validatePolicyRules(rules, true),
    allowCreateOnUpdate: true,
  },
  columns: [name(), createdAt()],
});
