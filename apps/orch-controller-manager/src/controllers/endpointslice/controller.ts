import type { core } from "@orchernetes/api";
import { hasNamespaceTerminatingCause, keyOf, type Stored } from "@orchernetes/apimachinery";
import { type Informer, referenceTo } from "@orchernetes/client";
import { flagSection } from "@orchernetes/component";
import { findCondition } from "@orchernetes/component-helpers";
import { AWAIT_MS, AwaitedGenerations, allSettled, inOrder } from "@orchernetes/controller";
import { messageOf } from "@orchernetes/kernel";
import { defineController } from "../../shared/define-controller.ts";
import {
  nodes as nodesRef,
  pods as podsRef,
  services as servicesRef,
  endpointSlices as slicesRef,
} from "../../shared/refs.ts";
import { semanticEqual } from "../../shared/semantic-equal.ts";
import { followServices } from "../service-pods/changes.ts";
import { deleteSlice, managedSlices } from "../service-pods/managed-slices.ts";
import { serviceSelector } from "../service-pods/service-selector.ts";
import { TriggerTimes } from "../service-pods/trigger-time.ts";
import { controllerName, type EndpointSliceAction, type EndpointSliceState, reconcile } from "./reconcile.ts";
import { hintsEnabled, zoneShares } from "./topology-hints.ts";

/** The properties of a node on which topology hints depend. */
const zoneFacts = ({ metadata, status }: Stored<core.Node>): unknown => [
  metadata.labels,
  status?.allocatable?.cpu,
  findCondition(status?.conditions, "Ready")?.status,
];

const managed = managedSlices(controllerName);

/**
 * Maintains the EndpointSlices of each service with a selector (KEP-752). A service is synced when it, one of its pods
 * or slices, or for topology hints a node changes. While the cache lags behind what was written, nothing is decided: slices would be
 * created twice, or written in an old version.
 */
export const endpointSliceController = defineController({
  name: "endpointslice",
  serviceAccount: "endpointslice-controller",
  flags: flagSection("EndpointSlice controller", {
    "concurrent-service-endpoint-syncs": {
      field: "EndpointSliceController.ConcurrentServiceEndpointSyncs",
      type: "int",
      default: 5,
      min: 1,
      max: 50,
      help: "Number of services whose endpoint slices are synced concurrently.",
    },
    "endpointslice-updates-batch-period": {
      field: "EndpointSliceController.EndpointUpdatesBatchPeriod",
      type: "duration",
      default: "0s",
      min: 0,
      help: "How long changes of pods are batched before endpoint slices are written; a longer time means fewer writes and later updates.",
    },
    "max-endpoints-per-slice": {
      field: "EndpointSliceController.MaxEndpointsPerSlice",
      type: "int",
      default: 100,
      min: 1,
      max: 1000,
      help: "Maximum number of endpoints in a slice; a higher number means fewer but larger objects.",
    },
  }),
  settings: ({ document: { EndpointSliceController: section } }) => ({
    workers: section.ConcurrentServiceEndpointSyncs,
    batchMs: section.EndpointUpdatesBatchPeriod,
    maxEndpointsPerSlice: section.MaxEndpointsPerSlice,
  }),
  build(shell, settings) {
    const { client, recorder } = shell.context;
    const queue = shell.queue("endpointslice");
    const expectations = shell.expectations();
    const awaited = new AwaitedGenerations(shell.context.clock);
    const triggerTimes = new TriggerTimes();
    /** The services that were told to have topology hints. */
    const hinted = new Set<string>();
    const services = shell.informer(servicesRef);
    const pods = shell.informer(podsRef);
    const nodes = shell.informer(nodesRef);
    const slices = shell.informer(slicesRef, managed.indexers);
    followServices(services, pods, queue, settings.batchMs);
    managed.follow(slices, expectations, (key) => queue.add(key));
    followNodes(nodes, () => {
      for (const service of services.lister.list()) if (hintsEnabled(service)) queue.add(keyOf(service));
    });

    const carryOut = inOrder<EndpointSliceAction, EndpointSliceState>({
      async Create({ slice }, { service }, key) {
        try {
          const { namespace = "" } = service.metadata;
          await client.resource(slicesRef).namespace(namespace).create(slice);
        } catch (error) {
          expectations.creationObserved(key);
          if (hasNamespaceTerminatingCause(error)) return;
          throw failed("create EndpointSlice", key, error);
        }
      },
      async Update({ slice }, _, key) {
        try {
          awaited.wrote(key, await client.resource(slicesRef).update(slice), "update");
        } catch (error) {
          throw failed(`update ${slice.metadata.name} EndpointSlice`, key, error);
        }
      },
      async Delete({ slice }, _, key) {
        try {
          await deleteSlice(client, slice);
        } catch (error) {
          throw failed(`delete ${slice.metadata.name} EndpointSlice`, key, error);
        }
      },
      TellHints({ areGiven, message }, { service }, key) {
        if (areGiven) hinted.add(key);
        else hinted.delete(key);
        const [type, reason] = areGiven
          ? (["Normal", "TopologyAwareHintsEnabled"] as const)
          : (["Warning", "TopologyAwareHintsDisabled"] as const);
        recorder.event(referenceTo(servicesRef, service), type, reason, message);
      },
    });
    shell.loop({
      queue,
      workers: settings.workers,
      maxRetries: 15,
      gather(key): EndpointSliceState | undefined {
        const service = services.lister.byKey(key);
        if (service === undefined) {
          // The garbage collector removes the slices with their owner.
          triggerTimes.forget(key);
          expectations.delete(key);
          awaited.delete(key);
          hinted.delete(key);
          return undefined;
        }
        const selector = serviceSelector(service);
        if (selector === undefined || !expectations.satisfied(key)) return undefined;
        if (!awaited.areSeen(key, slices.lister)) {
          // Usually the slice's event comes long before.
          queue.addAfter(key, AWAIT_MS);
          return undefined;
        }
        const selected = pods.lister
          .list(service.metadata.namespace)
          .filter(({ metadata }) => selector.matches(metadata.labels));
        return {
          service,
          pods: selected,
          slices: managed.of(slices, key),
          nodeOf: (name) => nodes.lister.get("", name),
          zoneShares: hintsEnabled(service) ? zoneShares(nodes.lister.list()) : undefined,
          isHinted: hinted.has(key),
          triggerTime: triggerTimes.oldestChange(key, service, selected),
          maxEndpointsPerSlice: settings.maxEndpointsPerSlice,
        };
      },
      reconcile,
      async carryOut(actions, state, key) {
        const creations = actions.filter(({ type }) => type === "Create").length;
        if (creations > 0) expectations.expectCreations(key, creations);
        try {
          await allSettled(actions.map((action) => carryOut([action], state, key)));
        } catch (error) {
          const message = `Error updating Endpoint Slices for Service ${key}: ${messageOf(error)}`;
          const about = referenceTo(servicesRef, state.service);
          recorder.event(about, "Warning", "FailedToUpdateEndpointSlices", message);
          throw error;
        }
      },
    });
  },
});

const failed = (what: string, key: string, error: unknown): Error =>
  new Error(`failed to ${what} for Service ${key}: ${messageOf(error)}`, { cause: error });

/** Calls `changed` when topology hints may change. */
function followNodes(nodes: Informer<core.Node>, changed: () => void): void {
  nodes.addHandler({
    onAdd(_, initial) {
      if (!initial) changed();
    },
    onUpdate(old, node) {
      // Most updates are heartbeats, which do not affect hints.
      if (!semanticEqual(zoneFacts(old), zoneFacts(node))) changed();
    },
    onDelete: changed,
  });
}
