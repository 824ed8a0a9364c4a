import type { rbac } from "@orchernetes/api";
import type { ObjectMeta } from "@orchernetes/apimachinery";

/** A binding together with what it grants: the rules of its role, looked up at the time of asking. */
export interface Grant {
  /** How messages name the binding, e.g. `ClusterRoleBinding "system:basic-user"`. */
  readonly binding: string;
  readonly roleRef: rbac.RoleRef;
  /** The namespace that the grant is confined to; "" for the whole cluster. */
  readonly namespace: string;
  readonly subject: rbac.Subject;
}

type RoleObject = Pick<rbac.Role, "rules"> & {
  readonly metadata: Pick<ObjectMeta, "name" | "namespace">;
};
type BindingObject = Pick<rbac.RoleBinding, "subjects" | "roleRef"> & {
  readonly metadata: Pick<ObjectMeta, "name" | "namespace">;
};

/** Key under which a subject's grants are found; service accounts are found by their user name. */
function subjectKey(subject: rbac.Subject, bindingNamespace: string): string | undefined {
  switch (subject.kind) {
    case "User":
      return `u:${subject.name}`;
    case "Group":
      return `g:${subject.name}`;
    case "ServiceAccount": {
      const namespace = subject.namespace || bindingNamespace;
      return namespace === "" ? undefined : `u:system:serviceaccount:${namespace}:${subject.name}`;
    }
    default:
      return undefined;
  }
}

/** The error of a binding whose role does not exist, as clients know it from Kubernetes. */
export const missingRole = ({ roleRef }: Grant): string =>
  `${roleRef.kind.toLowerCase()}.rbac.authorization.o8s.io ${JSON.stringify(roleRef.name)} not found`;

/**
 * Roles and bindings, indexed by subject so that an access check touches only the grants of the user and its groups.
 * Fed with every change of the four RBAC resources; holds plain data and does no IO.
 */
export class PolicyIndex {
  readonly #roles = new Map<string, RoleObject>();
  readonly #grants = new Map<string, Map<string, Grant[]>>();
  readonly #subjectsOf = new Map<string, string[]>();

  /** `namespace` is "" for cluster roles. */
  setRole(namespace: string, name: string, role: RoleObject | undefined): void {
    const key = `${namespace}/${name}`;
    if (role === undefined) this.#roles.delete(key);
    else this.#roles.set(key, role);
  }

  /** `namespace` is "" for cluster role bindings. Replaces what the binding granted before. */
  setBinding(namespace: string, name: string, binding: BindingObject | undefined): void {
    const key = `${namespace}/${name}`;
    for (const subject of this.#subjectsOf.get(key) ?? []) {
      const grants = this.#grants.get(subject);
      grants?.delete(key);
      if (grants?.size === 0) this.#grants.delete(subject);
    }
    this.#subjectsOf.delete(key);
    if (binding === undefined) return;
    const label = namespace === "" ? `ClusterRoleBinding "${name}"` : `RoleBinding "${name}/${namespace}"`;
    const subjects = new Set<string>();
    for (const subject of binding.subjects ?? []) {
      const subjectIs = subjectKey(subject, namespace);
      if (subjectIs === undefined) continue;
      subjects.add(subjectIs);
      const byBinding = this.#grants.get(subjectIs) ?? new Map<string, Grant[]>();
      this.#grants.set(subjectIs, byBinding);
      const grants = byBinding.get(key) ?? [];
      byBinding.set(key, grants);
      grants.push({ binding: label, roleRef: binding.roleRef, namespace, subject });
    }
    this.#subjectsOf.set(key, [...subjects]);
  }

  /** Rules of a binding's role; undefined if there is no such role. */
  rulesOf(grant: Grant): readonly rbac.PolicyRule[] | undefined {
    const namespace = grant.roleRef.kind === "Role" ? grant.namespace : "";
    const role = this.#roles.get(`${namespace}/${grant.roleRef.name}`);
    return role && (role.rules ?? []);
  }

  /** The grants of a user and its groups that hold cluster-wide or in `namespace`. */
  *grantsFor(user: { readonly name: string; readonly groups: readonly string[] }, namespace: string): Generator<Grant> {
    yield* this.#of(`u:${user.name}`, namespace);
    for (const group of user.groups) yield* this.#of(`g:${group}`, namespace);
  }

  *#of(subject: string, namespace: string): Generator<Grant> {
    const byBinding = this.#grants.get(subject);
    if (byBinding === undefined) return;
    for (const grants of byBinding.values())
      for (const grant of grants) if (grant.namespace === "" || grant.namespace === namespace) yield grant;
  }
}
