import type { core, discovery } from "@orchernetes/api";
import { isNotFound, keyOf, type Stored } from "@orchernetes/apimachinery";
import { referenceTo } from "@orchernetes/client";
import { Expectations, runController, WorkQueue } from "@orchernetes/controller";
import type { ControllerContext, ControllerDescriptor } from "../../shared/context.ts";
import {
  nodes as nodesRef,
  pods as podsRef,
  services as servicesRef,
  endpointSlices as slicesRef,
} from "../../shared/refs.ts";
import { semanticEqual } from "../../shared/semantic-equal.ts";
import { followServices } from "../service-pods/changes.ts";
import { serviceSelector } from "../service-pods/service-selector.ts";
import { TriggerTimes } from "../service-pods/trigger-time.ts";
import {
  controllerName,
  type EndpointSliceAction,
  type EndpointSliceState,
  managedByLabel,
  reconcile,
  serviceNameLabel,
} from "./reconcile.ts";
import { hintsEnabled, zoneShares } from "./topology-hints.ts";

/** What topology hints depend on. */
const zoneFacts = ({ metadata, status }: Stored<core.Node>): unknown => [
  metadata.labels,
  status?.allocatable?.cpu,
  status?.conditions?.find(({ type }) => type === "Ready")?.status,
];

/** Keeps the EndpointSlices of each service with a selector. */
export const endpointSliceController: ControllerDescriptor = {
  name: "endpointslice",
  serviceAccount: "endpointslice-controller",
  enabledByDefault: true,
  start: run,
};

const serviceIndex = "endpointSlicesOf";

/** Key of the service that a slice of this controller belongs to. */
function serviceOf({ metadata }: Stored<discovery.EndpointSlice>): string | undefined {
  const { labels = {}, namespace } = metadata;
  const name = labels[serviceNameLabel];
  return name !== undefined && labels[managedByLabel] === controllerName ? `${namespace}/${name}` : undefined;
}

async function run(context: ControllerContext): Promise<void> {
  const { client, clock, config, logger, recorder, signal } = context;
  const queue = new WorkQueue({ name: "endpointslice", clock, metrics: context.queueMetrics });
  const expectations = new Expectations(clock);
  const triggerTimes = new TriggerTimes();
  const services = context.informers.informer(servicesRef);
  const pods = context.informers.informer(podsRef);
  const nodes = context.informers.informer(nodesRef);
  const slices = context.informers.informer(slicesRef, { [serviceIndex]: serviceOf });
  followServices(services, pods, queue, config.endpointSliceUpdatesBatchMs);
  slices.addHandler({
    onAdd(slice) {
      const key = serviceOf(slice);
      if (key === undefined) return;
      expectations.creationObserved(key);
      queue.add(key);
    },
    onUpdate(old, slice) {
      for (const key of new Set([serviceOf(old), serviceOf(slice)])) if (key !== undefined) queue.add(key);
    },
    onDelete(slice) {
      const key = serviceOf(slice);
      if (key === undefined) return;
      expectations.deletionObserved(key, slice.metadata.uid);
      queue.add(key);
    },
  });

  const nodesChanged = (): void => {
    for (const service of services.lister.list()) if (hintsEnabled(service)) queue.add(keyOf(service));
  };
  nodes.addHandler({
    onAdd(_, initial) {
      if (!initial) nodesChanged();
    },
    onUpdate(old, node) {
      // Most updates are heartbeats.
      if (!semanticEqual(zoneFacts(old), zoneFacts(node))) nodesChanged();
    },
    onDelete: nodesChanged,
  });

  const gather = (key: string): EndpointSliceState | undefined => {
    const service = services.lister.byKey(key);
    if (service === undefined) {
      // The garbage collector removes the slices with their owner.
      triggerTimes.forget(key);
      expectations.delete(key);
      return undefined;
    }
    const selector = serviceSelector(service);
    // Slices made a moment ago that the cache does not show yet would be made once more.
    if (selector === undefined || !expectations.satisfied(key)) return undefined;
    const selected = pods.lister
      .list(service.metadata.namespace)
      .filter(({ metadata }) => selector.matches(metadata.labels));
    return {
      service,
      pods: selected,
      slices: slices.lister
        .byIndex(serviceIndex, key)
        .filter(({ metadata }) => metadata.deletionTimestamp === undefined),
      nodeOf: (name) => nodes.lister.get("", name),
      zoneShares: hintsEnabled(service) ? zoneShares(nodes.lister.list()) : undefined,
      triggerTime: triggerTimes.oldestChange(key, service, selected),
      maxEndpointsPerSlice: config.maxEndpointsPerSlice,
    };
  };

  const act = async (action: EndpointSliceAction, key: string): Promise<void> => {
    const resource = client.resource(slicesRef).namespace(key.split("/")[0] ?? "");
    switch (action.type) {
      case "Create":
        try {
          await resource.create(action.slice);
        } catch (error) {
          expectations.creationObserved(key);
          throw error;
        }
        return;
      case "Update":
        await resource.update(action.slice);
        return;
      case "Delete": {
        const { name, uid } = action.slice.metadata;
        await resource.delete(name, { preconditions: { uid } }).catch((error: unknown) => {
          if (!isNotFound(error)) throw error;
        });
        return;
      }
    }
  };

  const synced = [services, pods, nodes, slices].map((informer) => informer.waitForSync(signal));
  await Promise.all(synced);
  await runController<EndpointSliceState, EndpointSliceAction>(
    {
      name: "endpointslice",
      queue,
      workers: config.concurrentServiceEndpointSyncs,
      maxRetries: 15,
      gather,
      reconcile,
      async carryOut(actions, { service }, key) {
        const creations = actions.filter(({ type }) => type === "Create").length;
        if (creations > 0) expectations.expectCreations(key, creations);
        const results = await Promise.allSettled(actions.map((action) => act(action, key)));
        const failed = results.find((result) => result.status === "rejected");
        if (failed === undefined) return;
        const message = `Error updating Endpoint Slices for Service ${key}: ${failed.reason}`;
        recorder.event(referenceTo(servicesRef, service), "Warning", "FailedToUpdateEndpointSlices", message);
        throw failed.reason;
      },
    },
    { signal, logger, clock },
  );
}
