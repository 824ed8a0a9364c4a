import type { core } from "@orchernetes/api";
import { type Cidr, formatTime } from "@orchernetes/apimachinery";
import type { Client, EventRecorder, Lister } from "@orchernetes/client";
import { findCondition } from "@orchernetes/component-helpers";
import type { Clock, Logger } from "@orchernetes/kernel";
import type { CloudNode, Route, Routes } from "../../provider/cloud-provider.ts";
import { nodesRef } from "../../refs.ts";
import type { CallContexts } from "../cloud-context.ts";
import { inParallel } from "../in-parallel.ts";
import { planRoutes, type RoutePlan, type WantedRoute } from "./plan-routes.ts";

/** What a {@link RouteSyncer} works with. */
export interface RouteSyncerOptions {
  readonly routes: Routes;
  readonly client: Client;
  readonly nodes: Lister<core.Node>;
  readonly clusterCidrs: readonly Cidr[];
  readonly calls: CallContexts;
  readonly recorder: EventRecorder;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** Calls of the cloud, and writes of conditions, at the same time; as in the original. */
const maxConcurrent = 200;
/** Examples in a message about many routes. */
const maxExamples = 10;

/** Makes the cloud's routes those that the nodes need. */
export class RouteSyncer {
  readonly #options: RouteSyncerOptions;

  constructor(options: RouteSyncerOptions) {
    this.#options = options;
  }

  /** One pass over all nodes and routes. Logs errors: the next pass tries again. */
  async syncAll(): Promise<void> {
    const { routes, nodes, calls, clusterCidrs, logger } = this.#options;
    const listed = await routes.list(calls.reading());
    if (!listed.ok) {
      logger.warn("Couldn't reconcile node routes: error listing routes", { err: listed.error.message });
      return;
    }
    const plan = planRoutes(nodes.list(""), listed.value, clusterCidrs);
    this.#warnOf("Ignoring routes with unparsable CIDRs", plan.unreadable, ({ name, destinationCIDR }) => ({
      route: name,
      cidr: destinationCIDR,
    }));
    this.#warnOf(
      "Ranges of nodes get no routes: outside of the cluster's, or of older nodes",
      plan.refused,
      (wanted) => ({
        node: wanted.node.metadata.name,
        cidr: wanted.cidr,
      }),
    );
    const missing = await this.#carryOut(plan);
    await inParallel([...plan.nodes], maxConcurrent, ([node, cidrs]) =>
      this.#setCondition(node, cidrs.length > 0 && !missing.has(node)),
    );
  }

  /** One line about all of the items: a cloud or a user can make a hundred thousand, at each pass. */
  #warnOf<T>(message: string, items: readonly T[], shown: (item: T) => object): void {
    if (items.length === 0) return;
    this.#options.logger.warn(message, { count: items.length, first: items.slice(0, maxExamples).map(shown) });
  }

  /** Resolves with the nodes that lack a route. */
  async #carryOut({ deletions, creations, refused, inOrder }: RoutePlan): Promise<ReadonlySet<CloudNode>> {
    const missing = new Set<CloudNode>(refused.map(({ node }) => node));
    const deleted = inParallel(deletions, maxConcurrent, (route) => this.#delete(route));
    if (inOrder) await deleted;
    await inParallel(creations, maxConcurrent, async (wanted) => {
      if (!(await this.#create(wanted))) missing.add(wanted.node);
    });
    await deleted;
    return missing;
  }

  async #delete(route: Route): Promise<void> {
    const { routes, calls, logger } = this.#options;
    const values = { route: route.name, cidr: route.destinationCIDR };
    const deleted = await routes.delete(route, calls.writing());
    if (deleted.ok) logger.info("Deleted a route", values);
    else logger.warn("Could not delete a route", { ...values, err: deleted.error.message });
  }

  async #create({ node, cidr }: WantedRoute): Promise<boolean> {
    const { routes, calls, recorder, logger, clock } = this.#options;
    const { name, uid } = node.metadata;
    const startMs = clock.monotonicMs();
    const route: Route = {
      name: "",
      targetNode: name,
      targetNodeAddresses: node.status?.addresses ?? [],
      enableNodeAddresses: false,
      destinationCIDR: cidr,
      blackhole: false,
    };
    const created = await routes.create(uid, route, calls.writing());
    if (created.ok) {
      logger.info("Created a route", { node: name, cidr });
      return true;
    }
    const took = Math.round(clock.monotonicMs() - startMs);
    const message = `Could not create route ${uid} ${cidr} for node ${name} after ${took}ms: ${created.error.message}`;
    recorder.event({ kind: "Node", name, uid: name }, "Warning", "FailedToCreateRoute", message);
    logger.warn(message);
    return false;
  }

  async #setCondition(node: CloudNode, hasRoutes: boolean): Promise<void> {
    const { client, clock, logger } = this.#options;
    const { name, uid } = node.metadata;
    const status = hasRoutes ? "False" : "True";
    if (findCondition(node.status?.conditions, "NetworkUnavailable")?.status === status) return;
    const now = formatTime(clock.now());
    const condition = {
      type: "NetworkUnavailable",
      status,
      reason: hasRoutes ? "RouteCreated" : "NoRouteCreated",
      message: hasRoutes ? "RouteController created a route" : "RouteController failed to create a route",
      lastTransitionTime: now,
      lastHeartbeatTime: now,
    };
    try {
      const patch = { metadata: { uid }, status: { conditions: [condition] } };
      await client.resource(nodesRef).patch(name, patch, { type: "strategic", subresource: "status" });
    } catch (error) {
      logger.error(error, "Error updating the network condition of a node", { node: name });
    }
  }
}
