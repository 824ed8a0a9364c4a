import { rbac } from "@orchernetes/api";
import type { ObjectEvent, Registry, ResourceStore } from "@orchernetes/apiserver";
import type { PolicyIndex } from "@orchernetes/auth";

/** Keeps a policy index up to date with the stored roles and bindings. Resolves when it contains all stored ones, or the signal aborts. */
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
