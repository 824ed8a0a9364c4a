import { isAlreadyExists, isConflict, isNotFound, keyOf } from "@orchernetes/apimachinery";
import { referenceTo } from "@orchernetes/client";
import { flagSection } from "@orchernetes/component";
import { inOrder } from "@orchernetes/controller";
import { messageOf } from "@orchernetes/kernel";
import { defineController } from "../../shared/define-controller.ts";
import { endpoints as endpointsRef, pods as podsRef, services as servicesRef } from "../../shared/refs.ts";
import { followServices } from "../service-pods/changes.ts";
import { serviceSelector } from "../service-pods/service-selector.ts";
import { TriggerTimes } from "../service-pods/trigger-time.ts";
import { type EndpointsAction, type EndpointsState, reconcile } from "./reconcile.ts";

/**
 * Maintains the Endpoints of each service with a selector. A service is synced when it, one of its pods or its
 * Endpoints change; changes of pods can be batched. The API server's own endpoints have no selector, so they are not
 * affected.
 */
export const endpointController = defineController({
  name: "endpoint",
  serviceAccount: "endpoint-controller",
  flags: flagSection("Endpoint controller", {
    "concurrent-endpoint-syncs": {
      field: "EndpointController.ConcurrentEndpointSyncs",
      type: "int",
      default: 5,
      min: 1,
      help: "Number of services whose endpoints are synced concurrently.",
    },
    "endpoint-updates-batch-period": {
      field: "EndpointController.EndpointUpdatesBatchPeriod",
      type: "duration",
      default: "0s",
      min: 0,
      help: "How long changes of pods are batched before endpoints are written; a longer time means fewer writes and later updates.",
    },
  }),
  settings: ({ document: { EndpointController: section } }) => ({
    workers: section.ConcurrentEndpointSyncs,
    batchMs: section.EndpointUpdatesBatchPeriod,
  }),
  build(shell, settings) {
    const { client, recorder } = shell.context;
    const queue = shell.queue("endpoint");
    const triggerTimes = new TriggerTimes();
    const services = shell.informer(servicesRef);
    const pods = shell.informer(podsRef);
    const endpoints = shell.informer(endpointsRef);
    followServices(services, pods, queue, settings.batchMs);
    // Deleted endpoints are created again. Existing ones are checked once at the start: their service may be gone.
    endpoints.addHandler({
      onAdd: (object, initial) => initial && queue.add(keyOf(object)),
      onDelete: (object) => queue.add(keyOf(object)),
    });

    /** Records an event for a failed write, unless the failure was caused by a lagging cache. */
    const reported = async (
      { service }: EndpointsState,
      key: string,
      verb: "Create" | "Update",
      work: Promise<unknown>,
    ) => {
      try {
        await work;
      } catch (error) {
        if (service !== undefined && !isConflict(error) && !isAlreadyExists(error)) {
          const message = `Failed to ${verb.toLowerCase()} endpoint ${key}: ${messageOf(error)}`;
          recorder.event(referenceTo(servicesRef, service), "Warning", `FailedTo${verb}Endpoint`, message);
        }
        throw error;
      }
    };
    const resource = (key: string) => client.resource(endpointsRef).namespace(key.split("/")[0] ?? "");
    shell.loop({
      queue,
      workers: settings.workers,
      maxRetries: 15,
      gather(key): EndpointsState | undefined {
        const service = services.lister.byKey(key);
        const existing = endpoints.lister.byKey(key);
        if (service === undefined) {
          triggerTimes.forget(key);
          // Endpoints that serve as locks of leader elections have no service; they must not be deleted.
          return existing?.metadata.annotations?.["control-plane.alpha.orchernetes.io/leader"] === undefined
            ? { service, pods: [], existing, triggerTime: undefined }
            : undefined;
        }
        const selector = serviceSelector(service);
        if (selector === undefined) return undefined;
        const selected = pods.lister
          .list(service.metadata.namespace)
          .filter(({ metadata }) => selector.matches(metadata.labels));
        return { service, pods: selected, existing, triggerTime: triggerTimes.oldestChange(key, service, selected) };
      },
      reconcile,
      carryOut: inOrder<EndpointsAction, EndpointsState>({
        Create: (action, state, key) => reported(state, key, "Create", resource(key).create(action.endpoints)),
        Update: (action, state, key) => reported(state, key, "Update", resource(key).update(action.endpoints)),
        Delete: (_, __, key) =>
          resource(key)
            .delete(key.split("/")[1] ?? "")
            .then(() => undefined)
            .catch((error: unknown) => {
              if (!isNotFound(error)) throw error;
            }),
      }),
    });
  },
});
