import type { Cidr } from "@orchernetes/apimachinery";
import { type ControllerDescriptor, describeController } from "@orchernetes/controller";
import { nodesRef } from "../../refs.ts";
import { type CloudContext, type CloudDocument, callContexts } from "../cloud-context.ts";
import { parseClusterCidrs } from "./cluster-cidrs.ts";
import { RouteSyncer } from "./route-syncer.ts";

/** Settings of the route controller. */
interface RouteSettings {
  /** Whether routes are wanted at all; the reason if not. */
  readonly disabled: string | undefined;
  readonly clusterCidrs: readonly Cidr[];
  readonly periodMs: number;
  readonly clusterName: string;
}

/**
 * Keeps a route of the cloud's network to the pods of each node, and sets the node's condition NetworkUnavailable.
 *
 * @param needsAllocation whether the controller runs only with `--allocate-node-cidrs`, as in orch-controller-manager
 */
export function routeController(needsAllocation: boolean): ControllerDescriptor<CloudContext, CloudDocument> {
  return describeController<RouteSettings, CloudContext, CloudDocument>({
    name: "route",
    serviceAccount: "route-controller",
    eventSource: "route_controller",
    settings({ document: { OrchCloudShared: shared }, files, namedFile }) {
      const cidrs = parseClusterCidrs(shared.ClusterCIDR);
      if ("error" in cidrs) files.errors.push(`${namedFile("OrchCloudShared.ClusterCIDR").from}: ${cidrs.error}`);
      const isAllocated = !needsAllocation || shared.AllocateNodeCIDRs;
      const allocation = needsAllocation ? `allocate-node-cidrs: ${shared.AllocateNodeCIDRs}, ` : "";
      return {
        disabled:
          shared.ConfigureCloudRoutes && isAllocated
            ? undefined
            : `Will not configure cloud provider routes for ${allocation}configure-cloud-routes: ${shared.ConfigureCloudRoutes}.`,
        clusterCidrs: "ranges" in cidrs ? cidrs.ranges : [],
        periodMs: shared.RouteReconciliationPeriod,
        clusterName: shared.ClusterName,
      };
    },
    build(shell, { disabled, clusterCidrs, periodMs, clusterName }) {
      const { context } = shell;
      const { cloud, client, logger, recorder, clock } = context;
      if (disabled !== undefined) {
        logger.info(disabled);
        return;
      }
      const routes = cloud?.routes;
      if (routes === undefined) {
        const reason = cloud === undefined ? "no cloud provider specified" : "cloud provider does not support routes";
        logger.warn(`--configure-cloud-routes is set, but ${reason}. Will not configure cloud provider routes.`);
        return;
      }
      if (clusterCidrs.length === 0) throw new Error("the route controller must have --cluster-cidr");
      const nodes = shell.informer(nodesRef);
      const syncer = new RouteSyncer({
        routes,
        client,
        nodes: nodes.lister,
        clusterCidrs,
        calls: callContexts({ ...context, clusterName }),
        recorder,
        logger,
        clock,
      });
      shell.every(periodMs, () => syncer.syncAll(), { atOnce: true });
    },
  });
}
