import type { core } from "@orchernetes/api";
import { keyOf, type Stored } from "@orchernetes/apimachinery";
import { type Informer, referenceTo } from "@orchernetes/client";
import { flagSection } from "@orchernetes/component";
import { AWAIT_MS, AwaitedGenerations, allSettled, inOrder, type WorkQueue } from "@orchernetes/controller";
import { defineController } from "../../shared/define-controller.ts";
import { endpoints as endpointsRef, services as servicesRef, endpointSlices as slicesRef } from "../../shared/refs.ts";
import { deleteSlice, managedSlices } from "../service-pods/managed-slices.ts";
import { MirrorMetrics } from "./mirror-metrics.ts";
import { controllerName } from "./mirrored-metadata.ts";
import { type MirrorAction, type MirrorState, mayMirror, reconcile } from "./reconcile.ts";

/** A state, and when its sync began (monotonic milliseconds). */
type Timed = MirrorState & { readonly key: string; readonly beganMs: number };

const managed = managedSlices(controllerName);

/** Mirrors the Endpoints that users write for services without selector to EndpointSlices (KEP-752), which alone are read by nodes. */
export const endpointSliceMirroringController = defineController({
  name: "endpointslicemirroring",
  serviceAccount: "endpointslicemirroring-controller",
  eventSource: "endpoint-slice-mirroring-controller",
  flags: flagSection("EndpointSlice mirroring controller", {
    "mirroring-concurrent-service-endpoint-syncs": {
      field: "EndpointSliceMirroringController.MirroringConcurrentServiceEndpointSyncs",
      type: "int",
      default: 5,
      min: 1,
      max: 50,
      help: "Number of services whose endpoints are mirrored concurrently.",
    },
    "mirroring-endpointslice-updates-batch-period": {
      field: "EndpointSliceMirroringController.MirroringEndpointUpdatesBatchPeriod",
      type: "duration",
      default: "0s",
      min: 0,
      help: "How long changes of mirrored slices are batched before they are compared with their endpoints again.",
    },
    "mirroring-max-endpoints-per-subset": {
      field: "EndpointSliceMirroringController.MirroringMaxEndpointsPerSubset",
      type: "int",
      default: 1000,
      min: 1,
      max: 1000,
      help: "Maximum number of endpoints of a subset that are mirrored.",
    },
  }),
  settings: ({ document: { EndpointSliceMirroringController: section } }) => ({
    workers: section.MirroringConcurrentServiceEndpointSyncs,
    batchMs: section.MirroringEndpointUpdatesBatchPeriod,
    maxEndpointsPerSubset: section.MirroringMaxEndpointsPerSubset,
  }),
  build(shell, { workers, batchMs, maxEndpointsPerSubset }) {
    const { client, recorder, clock } = shell.context;
    const metrics = new MirrorMetrics(shell.context.metrics);
    // As in the original, retries are slow: a sync can write many slices.
    const queue = shell.queue("endpoint_slice_mirroring", { baseMs: 1000, maxMs: 100_000 });
    const expectations = shell.expectations();
    const awaited = new AwaitedGenerations(clock);
    const allEndpoints = shell.informer(endpointsRef);
    const services = shell.informer(servicesRef);
    const slices = shell.informer(slicesRef, managed.indexers);
    followEndpoints(allEndpoints, services, queue);
    managed.follow(slices, expectations, (key) => queue.addAfter(key, batchMs));

    const write = inOrder<MirrorAction, Timed>({
      async Create({ slice }, { key }) {
        try {
          await client.resource(slicesRef).create(slice);
          metrics.changed("Create");
        } catch (error) {
          expectations.creationObserved(key);
          throw error;
        }
      },
      async Update({ slice }, { key }) {
        awaited.wrote(key, await client.resource(slicesRef).update(slice), "update");
        metrics.changed("Update");
      },
      async Delete({ slice }) {
        await deleteSlice(client, slice);
        metrics.changed("Delete");
      },
      Warn({ reason, message }, { endpoints }) {
        if (endpoints !== undefined) recorder.event(referenceTo(endpointsRef, endpoints), "Warning", reason, message);
      },
    });
    shell.loop({
      queue,
      workers,
      maxRetries: 15,
      gather(key): Timed | undefined {
        const endpoints = allEndpoints.lister.byKey(key);
        if (endpoints === undefined) {
          expectations.delete(key);
          awaited.delete(key);
        }
        // While the cache lags, slices would be created again, or written in an old version.
        if (!expectations.satisfied(key)) return undefined;
        if (!awaited.areSeen(key, slices.lister)) {
          queue.addAfter(key, AWAIT_MS);
          return undefined;
        }
        const service = services.lister.byKey(key);
        const beganMs = clock.monotonicMs();
        return { endpoints, service, slices: managed.of(slices, key), maxEndpointsPerSubset, key, beganMs };
      },
      reconcile(state) {
        const plan = reconcile(state);
        metrics.planned(state.key, plan.totals);
        if (plan.actions.length === 0) metrics.synced(clock.monotonicMs() - state.beganMs);
        return plan;
      },
      async carryOut(actions, state, key) {
        const creations = actions.filter(({ type }) => type === "Create").length;
        if (creations > 0) expectations.expectCreations(key, creations);
        try {
          await allSettled(actions.map((action) => write([action], state, key)));
        } finally {
          metrics.synced(clock.monotonicMs() - state.beganMs);
        }
      },
    });
  },
});

/** Enqueues Endpoints when they, or what decides whether they are mirrored, change. */
function followEndpoints(
  allEndpoints: Informer<core.Endpoints>,
  services: Informer<core.Service>,
  queue: WorkQueue,
): void {
  const enqueue = (endpoints: Stored<core.Endpoints>): void => {
    if (mayMirror(endpoints)) queue.add(keyOf(endpoints));
  };
  allEndpoints.addHandler({
    onAdd: enqueue,
    onUpdate(old, endpoints) {
      if (mayMirror(old) || mayMirror(endpoints)) queue.add(keyOf(endpoints));
    },
    onDelete: enqueue,
  });
  const enqueueOf = (service: Stored<core.Service>): void => {
    if (service.spec.selector === undefined) queue.add(keyOf(service));
  };
  services.addHandler({
    onAdd: enqueueOf,
    onUpdate(old, service) {
      const changed = (old.spec.selector === undefined) !== (service.spec.selector === undefined);
      if (changed) queue.add(keyOf(service));
    },
    onDelete: enqueueOf,
  });
}
