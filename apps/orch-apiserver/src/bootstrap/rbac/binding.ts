import type { rbac } from "@orchernetes/api";

/** A binding that every cluster has. */
export interface BootstrapBinding {
  readonly name: string;
  readonly roleRef: rbac.RoleRef;
  readonly subjects: readonly rbac.Subject[];
}

const RBAC_GROUP = "rbac.authorization.o8s.io";

/** `User:name`, `Group:name` or `ServiceAccount:namespace/name`. */
function subject(text: string): rbac.Subject {
  const colon = text.indexOf(":");
  const kind = text.slice(0, colon);
  const rest = text.slice(colon + 1);
  if (kind !== "ServiceAccount") return { kind, apiGroup: RBAC_GROUP, name: rest };
  const [namespace = "", name = ""] = rest.split("/");
  return { kind, name, namespace };
}

/** Binds `Kind/name` to subjects written as `Kind:name`. */
export function bind(name: string, roleRef: string, subjects: readonly string[]): BootstrapBinding {
  const slash = roleRef.indexOf("/");
  return {
    name,
    roleRef: { apiGroup: RBAC_GROUP, kind: roleRef.slice(0, slash), name: roleRef.slice(slash + 1) },
    subjects: subjects.map(subject),
  };
}

/** Binds each controller's role to the service account of the same name in orch-system. */
export function bindController(roleName: string): BootstrapBinding {
  return bind(roleName, `ClusterRole/${roleName}`, [
    `ServiceAccount:orch-system/${roleName.slice("system:controller:".length)}`,
  ]);
}
