import { isAlreadyExists, isConflict, isNotFound } from "@orchernetes/apimachinery";
import { referenceTo } from "@orchernetes/client";
import { runController, WorkQueue } from "@orchernetes/controller";
import type { ControllerContext, ControllerDescriptor } from "../../shared/context.ts";
import { endpoints as endpointsRef, pods as podsRef, services as servicesRef } from "../../shared/refs.ts";
import { followServices } from "../service-pods/changes.ts";
import { serviceSelector } from "../service-pods/service-selector.ts";
import { TriggerTimes } from "../service-pods/trigger-time.ts";
import { type EndpointsAction, type EndpointsState, reconcile } from "./reconcile.ts";

/** Keeps the Endpoints of each service with a selector. */
export const endpointController: ControllerDescriptor = {
  name: "endpoint",
  serviceAccount: "endpoint-controller",
  enabledByDefault: true,
  start: run,
};

async function run(context: ControllerContext): Promise<void> {
  const { client, clock, config, logger, recorder, signal } = context;
  const queue = new WorkQueue({ name: "endpoint", clock, metrics: context.queueMetrics });
  const triggerTimes = new TriggerTimes();
  const services = context.informers.informer(servicesRef);
  const pods = context.informers.informer(podsRef);
  const endpoints = context.informers.informer(endpointsRef);
  followServices(services, pods, queue, config.endpointUpdatesBatchMs);
  const endpointsChanged = ({
    metadata,
  }: {
    readonly metadata: { readonly name: string; readonly namespace?: string | undefined };
  }) => queue.add(`${metadata.namespace}/${metadata.name}`);
  // What somebody else changed or removed is put right; endpoints without a service are checked once at the start.
  endpoints.addHandler({
    onAdd: (object, initial) => {
      if (initial) endpointsChanged(object);
    },
    onDelete: endpointsChanged,
  });

  const gather = (key: string): EndpointsState | undefined => {
    const service = services.lister.byKey(key);
    const existing = endpoints.lister.byKey(key);
    if (service === undefined) {
      triggerTimes.forget(key);
      // Endpoints that never had a service of ours, such as election locks, are not ours to delete.
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
  };

  const act = async (action: EndpointsAction, { service }: EndpointsState, key: string): Promise<void> => {
    const [namespace = "", name = ""] = key.split("/");
    const resource = client.resource(endpointsRef).namespace(namespace);
    try {
      switch (action.type) {
        case "Create":
          await resource.create(action.endpoints);
          return;
        case "Update":
          await resource.update(action.endpoints);
          return;
        case "Delete":
          await resource.delete(name);
          return;
      }
    } catch (error) {
      if (action.type === "Delete" && isNotFound(error)) return;
      // Those are about caches that are behind, not about the service.
      const told = action.type !== "Delete" && service !== undefined && !isConflict(error) && !isAlreadyExists(error);
      if (told) {
        const [reason, verb] =
          action.type === "Create" ? ["FailedToCreateEndpoint", "create"] : ["FailedToUpdateEndpoint", "update"];
        const message = `Failed to ${verb} endpoint ${key}: ${error instanceof Error ? error.message : error}`;
        recorder.event(referenceTo(servicesRef, service), "Warning", reason, message);
      }
      throw error;
    }
  };

  await Promise.all([services.waitForSync(signal), pods.waitForSync(signal), endpoints.waitForSync(signal)]);
  await runController<EndpointsState, EndpointsAction>(
    {
      name: "endpoint",
      queue,
      workers: config.concurrentEndpointSyncs,
      maxRetries: 15,
      gather,
      reconcile,
      async carryOut(actions, state, key) {
        for (const action of actions) await act(action, state, key);
      },
    },
    { signal, logger, clock },
  );
}
