import type { rbac } from "@orchernetes/api";
import type { ResourceRef } from "@orchernetes/client";
import { inOrder, type Plan } from "@orchernetes/controller";
import { defineController } from "../../shared/define-controller.ts";
import { aggregatedRules, type ClusterRole } from "./reconcile.ts";

const workers = 5;
const clusterRoles: ResourceRef<rbac.ClusterRole> = {
  group: "rbac.authorization.o8s.io",
  version: "v1",
  plural: "clusterroles",
  kind: "ClusterRole",
  scope: "Cluster",
};

interface State {
  readonly role: ClusterRole;
  readonly all: readonly ClusterRole[];
}
type UpdateRules = { readonly type: "UpdateRules"; readonly rules: readonly rbac.PolicyRule[] };

function reconcile({ role, all }: State): Plan<UpdateRules> {
  const rules = role.aggregationRule === undefined ? undefined : aggregatedRules(role, all);
  return { actions: rules === undefined ? [] : [{ type: "UpdateRules", rules }] };
}

/** Gives aggregating ClusterRoles the rules of those that they select. */
export const clusterRoleAggregationController = defineController({
  name: "clusterrole-aggregation",
  serviceAccount: "clusterrole-aggregation-controller",
  build(shell) {
    const { client } = shell.context;
    const queue = shell.queue("ClusterRoleAggregator");
    const roles = shell.informer(clusterRoles);
    // A change of labels may concern any of them.
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
