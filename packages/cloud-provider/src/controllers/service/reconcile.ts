import { noPlan, type Plan } from "@orchernetes/controller";
import type { CloudService } from "../../provider/cloud-provider.ts";
import { needsCleanup, wantsLoadBalancer } from "./load-balancer-service.ts";

/** A service as the API server has it, and as it was when its load balancer was last synced. */
export interface ServiceState {
  /** Undefined: it does not exist any more. */
  readonly service: CloudService | undefined;
  /** Undefined: this process has not synced it yet, or its load balancer is deleted. */
  readonly synced: CloudService | undefined;
}

/** What is done about the load balancer of a service. */
export type ServiceAction =
  /** The service is gone, or was replaced by another one of its name: delete the load balancer of the old one. */
  | { readonly type: "DeleteLost"; readonly lost: CloudService }
  /** Create or update the load balancer. */
  | { readonly type: "Ensure"; readonly service: CloudService }
  /** Delete the load balancer, if there is one, and let the service go. */
  | { readonly type: "Release"; readonly service: CloudService };

/** Decides about the load balancer of a service. Pure. */
export function reconcileService({ service, synced }: ServiceState): Plan<ServiceAction> {
  if (service === undefined && synced === undefined) return noPlan;
  const actions: ServiceAction[] = [];
  // Finalizers normally prevent this: the service was deleted by force, or had none.
  if (synced !== undefined && synced.metadata.uid !== service?.metadata.uid) {
    actions.push({ type: "DeleteLost", lost: synced });
  }
  if (service !== undefined) {
    const released = !wantsLoadBalancer(service) || needsCleanup(service);
    actions.push(released ? { type: "Release", service } : { type: "Ensure", service });
  }
  return { actions };
}
