import { rbac } from "@orchernetes/api";
import type { Attributes, Authorizer, Decision, ObjectEvent, Registry, ResourceStore } from "@orchernetes/apiserver";
import type { Grant, PolicyIndex } from "./policy-index.ts";
import { ruleAllows } from "./rule-match.ts";

function describeGrant(grant: Grant): string {
  const { subject, roleRef } = grant;
  const who =
    subject.kind === "ServiceAccount"
      ? `ServiceAccount "${subject.name}/${subject.namespace ?? grant.namespace}"`
      : `${subject.kind} "${subject.name}"`;
  const role = roleRef.kind === "Role" ? `Role "${roleRef.name}/${grant.namespace}"` : `ClusterRole "${roleRef.name}"`;
  return `RBAC: allowed by ${grant.binding} of ${role} to ${who}`;
}

/** Decides by the roles bound to the user and its groups. Rules only allow, so the answer is Allow or NoOpinion. */
export function rbacAuthorizer(index: PolicyIndex): Authorizer {
  return {
    authorize(attributes: Attributes): Decision {
      const missing: string[] = [];
      for (const grant of index.grantsFor(attributes.user, attributes.namespace)) {
        // Outside the resource API only cluster-wide grants count.
        if (!attributes.resourceRequest && grant.namespace !== "") continue;
        const rules = index.rulesOf(grant);
        if (rules === undefined) missing.push(`${grant.roleRef.kind} "${grant.roleRef.name}" not found`);
        else if (rules.some((rule) => ruleAllows(rule, attributes)))
          return { type: "Allow", reason: describeGrant(grant) };
      }
      return missing.length === 0
        ? { type: "NoOpinion" }
        : { type: "NoOpinion", reason: `RBAC: ${[...new Set(missing)].join(", ")}` };
    },
  };
}

/** Keeps a policy index up to date with the stored roles and bindings; resolves when it holds all there are. */
export async function followPolicy(registry: Registry, index: PolicyIndex, signal: AbortSignal): Promise<void> {
  const follow = <T extends rbac.Role | rbac.ClusterRole | rbac.RoleBinding | rbac.ClusterRoleBinding>(
    store: ResourceStore<T>,
    set: (namespace: string, name: string, object: T | undefined) => void,
  ): Promise<void> =>
    new Promise((resolve) => {
      const onEvent = ({ type, object }: ObjectEvent<T>) =>
        set(object.metadata.namespace ?? "", object.metadata.name, type === "DELETED" ? undefined : object);
      store.follow({ onEvent, onSynced: resolve }, signal);
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
  await Promise.all([
    follow(registry.forDefinition(rbac.roles), (ns, name, role) => index.setRole(ns, name, role)),
    follow(registry.forDefinition(rbac.clusterRoles), (ns, name, role) => index.setRole(ns, name, role)),
    follow(registry.forDefinition(rbac.roleBindings), (ns, name, binding) => index.setBinding(ns, name, binding)),
    follow(registry.forDefinition(rbac.clusterRoleBindings), (ns, name, binding) =>
      index.setBinding(ns, name, binding),
    ),
  ]);
}
