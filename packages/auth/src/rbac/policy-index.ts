import type { rbac } from "@orchernetes/api";
import type { ObjectMeta } from "@orchernetes/apimachinery";

/** One subject of a binding. The rules of its role are looked up for each request, because roles change. */
export interface Grant {
  /** The binding as messages name it, such as `ClusterRoleBinding "system:basic-user"`. */
  readonly binding: string;
  readonly roleRef: rbac.RoleRef;
  /** The namespace in which the grant is valid; "" for the whole cluster. */
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

/** The error about a binding whose role does not exist, in Kubernetes' words. */
export const missingRole = ({ roleRef }: Grant): string =>
  `${roleRef.kind.toLowerCase()}.rbac.authorization.o8s.io ${JSON.stringify(roleRef.name)} not found`;

/**
 * Roles and bindings, indexed by subject, so that an access check looks only at the grants of the user and the user's groups. The owner
 * reports every change of the four RBAC resources by {@link setRole} and {@link setBinding}; there is no I/O.
 */
export class PolicyIndex {
  readonly #roles = new Map<string, RoleObject>();
  readonly #grants = new Map<string, Map<string, Grant[]>>();
  readonly #subjectsOf = new Map<string, string[]>();

  /**
   * Adds, replaces or removes a role.
   *
   * @param namespace "" for cluster roles
   * @param role undefined removes it
   */
  setRole(namespace: string, name: string, role: RoleObject | undefined): void {
    const key = `${namespace}/${name}`;
    if (role === undefined) this.#roles.delete(key);
    else this.#roles.set(key, role);
  }

  /**
   * Adds, replaces or removes a binding. The grants that it had before end.
   *
   * @param namespace "" for cluster role bindings
   * @param binding undefined removes it
   */
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

  /** The rules of the binding's role; undefined if the role does not exist. */
  rulesOf(grant: Grant): readonly rbac.PolicyRule[] | undefined {
    const namespace = grant.roleRef.kind === "Role" ? grant.namespace : "";
    const role = this.#roles.get(`${namespace}/${grant.roleRef.name}`);
    return role && (role.rules ?? []);
  }

  /** The grants of a user and the user's groups that are valid in the whole cluster or in `namespace`. */
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
