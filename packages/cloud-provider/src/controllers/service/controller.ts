import type { core } from "@orchernetes/api";
import { keyOf } from "@orchernetes/apimachinery";
import type { Informer } from "@orchernetes/client";
import { referenceTo } from "@orchernetes/client";
import { type ControllerDescriptor, describeController, inOrder, type WorkQueue } from "@orchernetes/controller";
import { nodesRef, servicesRef } from "../../refs.ts";
import { type CloudContext, type CloudDocument, callContexts } from "../cloud-context.ts";
import { needsCleanup, wantsLoadBalancer } from "./load-balancer-service.ts";
import { type NodeRules, nodeRules } from "./node-predicates.ts";
import { reconcileService, type ServiceAction, type ServiceState } from "./reconcile.ts";
import { serviceChange } from "./service-change.ts";
import { serviceMetrics } from "./service-metrics.ts";
import { ServiceSyncer } from "./service-syncer.ts";

/** Settings of the service controller. */
interface ServiceSettings {
  /** Number of services, and of load balancers whose nodes change, that are synced concurrently. */
  readonly workers: number;
  readonly clusterName: string;
  /** Gate StableLoadBalancerNodeSet. */
  readonly stableNodes: boolean;
}

/** Delays of a service that fails: the first, and the longest. */
const retryLimits = { baseMs: 5000, maxMs: 300_000, qps: 1e6, burst: 1e6 };

/** How often services whose load balancer must go are tried again, whatever their delay. */
const cleanupPeriodMs = 30_000;

/** The only key of the queue of nodes: all load balancers are updated together. */
const allNodes = "nodes";

/**
 * Keeps load balancers of the cloud for services of type LoadBalancer: a finalizer keeps the service until its load balancer is deleted,
 * and load balancers follow the nodes. Services with a class are left to others.
 *
 * Source: "Cloud Controller Manager" of the documentation, KEP-980 (finalizer), KEP-3458 (node set).
 */
export const serviceController: ControllerDescriptor<CloudContext, CloudDocument> = describeController<
  ServiceSettings,
  CloudContext,
  CloudDocument
>({
  name: "service",
  serviceAccount: "service-controller",
  gates: ["StableLoadBalancerNodeSet"],
  settings: ({ document: { OrchCloudShared, ServiceController }, gates }) => ({
    workers: ServiceController.ConcurrentServiceSyncs,
    clusterName: OrchCloudShared.ClusterName,
    stableNodes: gates.enabled("StableLoadBalancerNodeSet"),
  }),
  build(shell, { workers, clusterName, stableNodes }) {
    const { context } = shell;
    const { client, clock, cloud, logger, recorder } = context;
    const balancers = cloud?.loadBalancers;
    if (balancers === undefined) {
      const reason =
        cloud === undefined
          ? "WARNING: no cloud provider provided, services of type LoadBalancer will fail"
          : "the cloud provider does not support external load balancers";
      logger.warn(`Failed to start service controller: ${reason}`);
      return;
    }
    const services = shell.informer(servicesRef);
    const nodes = shell.informer(nodesRef);
    const rules = nodeRules(stableNodes);
    const syncer = new ServiceSyncer({
      balancers,
      client,
      services: services.lister,
      nodes: nodes.lister,
      rules,
      calls: callContexts({ ...context, clusterName }),
      recorder,
      metrics: serviceMetrics(context.metrics),
      logger,
      clock,
      workers,
    });
    const queue = shell.queue("service", retryLimits);
    balancers.follow?.(
      (ref, indexers) => shell.informer(ref, indexers),
      (key) => {
        const service = services.lister.byKey(key);
        if (service !== undefined && wantsLoadBalancer(service)) queue.add(key);
      },
    );
    followServices(services, queue, (service, { reason, message }) =>
      recorder.event(referenceTo(servicesRef, service), "Normal", reason, message),
    );
    shell.every(cleanupPeriodMs, () => {
      for (const service of services.lister.list("")) if (needsCleanup(service)) queue.add(keyOf(service));
    });
    shell.loop<ServiceState, ServiceAction>({
      queue,
      workers,
      gather: (key) => ({ service: services.lister.byKey(key), synced: syncer.synced(key) }),
      reconcile: reconcileService,
      carryOut: inOrder<ServiceAction, ServiceState>({
        DeleteLost: ({ lost }) => syncer.deleteLost(lost),
        Ensure: ({ service }) => syncer.ensure(service),
        Release: ({ service }) => syncer.release(service),
      }),
    });
    const nodeQueue = shell.queue("node", retryLimits);
    followNodes(nodes, nodeQueue, rules);
    shell.loop<true, { readonly type: "UpdateNodes" }>({
      queue: nodeQueue,
      workers: 1,
      gather: () => true,
      reconcile: () => ({ actions: [{ type: "UpdateNodes" }] }),
      // A sync of the service itself gives its load balancer the nodes, too.
      carryOut: async () => {
        for (const key of await syncer.updateNodes()) queue.add(key);
      },
    });
  },
});

type Told = (
  service: Parameters<typeof keyOf>[0],
  event: { readonly reason: string; readonly message: string },
) => void;

/** Enqueues services whose load balancer must follow a change of theirs. */
function followServices(services: Informer<core.Service>, queue: WorkQueue, tell: Told): void {
  services.addHandler({
    onAdd(service) {
      if (wantsLoadBalancer(service) || needsCleanup(service)) queue.add(keyOf(service));
    },
    onUpdate(old, service) {
      const change = serviceChange(old, service);
      if (change?.event !== undefined) tell(service, change.event);
      if (change !== undefined || needsCleanup(service)) queue.add(keyOf(service));
    },
    // Usually the finalizer was removed after the load balancer was deleted; then there is nothing to do.
    onDelete: (service) => queue.add(keyOf(service)),
  });
}

/** Enqueues an update of all load balancers when the set of their nodes may have changed. */
function followNodes(nodes: Informer<core.Node>, queue: WorkQueue, rules: NodeRules): void {
  nodes.addHandler({
    onAdd: () => queue.add(allNodes),
    onUpdate(old, node) {
      if (rules.changes(old, node)) queue.add(allNodes);
    },
    onDelete: () => queue.add(allNodes),
  });
}
