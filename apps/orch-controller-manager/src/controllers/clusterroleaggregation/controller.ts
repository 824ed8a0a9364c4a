import type { rbac } from "@orchernetes/api";
import type { ResourceRef } from "@orchernetes/client";
import { inOrder, type Plan } from "@orchernetes/controller";
import { defineController } from "../../shared/define-controller.ts";
import { aggregatedRules, type ClusterRole } from "./reconcile.ts";

/** Number of roles that are synced concurrently, as in the original. */
const workers = 5;
const clusterRoles: ResourceRef<rbac.ClusterRole> = {
  group: "rbac.authorization.o8s.io",
  version: "v1",
  plural: "clusterroles",
  kind: "ClusterRole",
  scope: "Cluster",
};

/** A role, and all roles that it may select. */
interface State {
  readonly role: ClusterRole;
  readonly all: readonly ClusterRole[];
}
type UpdateRules = { readonly type: "UpdateRules"; readonly rules: readonly rbac.PolicyRule[] };

/** Updates the rules of an aggregating role; other roles are left alone. Pure. */
function reconcile({ role, all }: State): Plan<UpdateRules> {
  const rules = role.aggregationRule === undefined ? undefined : aggregatedRules(role, all);
  return { actions: rules === undefined ? [] : [{ type: "UpdateRules", rules }] };
}

/**
 * Copies to each aggregating ClusterRole the rules of the roles that it selects. Source: "Aggregated ClusterRoles" in
 * Using RBAC Authorization.
 */
export const clusterRoleAggregationController = defineController({
  name: "clusterrole-aggregation",
  serviceAccount: "clusterrole-aggregation-controller",
  build(shell) {
    const { client } = shell.context;
    const queue = shell.queue("ClusterRoleAggregator");
    const roles = shell.informer(clusterRoles);
    // A change of any role's labels or rules may concern any aggregating role.
    const enqueueAll = (): void => {
      for (const { metadata, aggregationRule } of roles.lister.list()) {
        if (aggregationRule !== undefined) queue.add(metadata.name);
      }
    };
    roles.addHandler({ onAdd: enqueueAll, onUpdate: enqueueAll, onDelete: enqueueAll });
    shell.loop({
      queue,
      workers,
      gather(name): State | undefined {
        const role = roles.lister.get("", name);
        return role && { role, all: roles.lister.list() };
      },
      reconcile,
      carryOut: inOrder<UpdateRules, State>({
        UpdateRules: async ({ rules }, { role }) =>
          void (await client.resource(clusterRoles).update({ ...role, rules })),
      }),
    });
  },
});
