import type { rbac } from "@orchernetes/api";
import type { ResourceRef } from "@orchernetes/client";
import { runWorkers, WorkQueue } from "@orchernetes/controller";
import type { ControllerContext, ControllerDescriptor } from "../../shared/context.ts";
import { aggregatedRules } from "./reconcile.ts";

/** Gives aggregating ClusterRoles the rules of those that they select. */
export const clusterRoleAggregationController: ControllerDescriptor = {
  name: "clusterrole-aggregation",
  serviceAccount: "clusterrole-aggregation-controller",
  enabledByDefault: true,
  start: run,
};

const workers = 5;
const clusterRoles: ResourceRef<rbac.ClusterRole> = {
  group: "rbac.authorization.o8s.io",
  version: "v1",
  plural: "clusterroles",
  kind: "ClusterRole",
  scope: "Cluster",
};

async function run(context: ControllerContext): Promise<void> {
  const { client, clock, logger, signal } = context;
  const queue = new WorkQueue({ name: "ClusterRoleAggregator", clock, metrics: context.queueMetrics });
  const roles = context.informers.informer(clusterRoles);
  // A change of labels may concern any of them.
  const enqueueAll = (): void => {
    for (const { metadata, aggregationRule } of roles.lister.list()) {
      if (aggregationRule !== undefined) queue.add(metadata.name);
    }
  };
  roles.addHandler({ onAdd: enqueueAll, onUpdate: enqueueAll, onDelete: enqueueAll });

  const sync = async (name: string): Promise<undefined> => {
    const role = roles.lister.get("", name);
    const rules = role?.aggregationRule === undefined ? undefined : aggregatedRules(role, roles.lister.list());
    if (role !== undefined && rules !== undefined) await client.resource(clusterRoles).update({ ...role, rules });
    return undefined;
  };

  await roles.waitForSync(signal);
  await runWorkers({ name: "clusterrole-aggregation", queue, workers, sync, signal, logger, clock });
}
