import type { core } from "@orchernetes/api";
import { isNotFound } from "@orchernetes/apimachinery";
import type { Client } from "@orchernetes/client";
import type { CloudService } from "../../provider/cloud-provider.ts";
import { servicesRef } from "../../refs.ts";
import { equalStatus, hasFinalizer, LOAD_BALANCER_FINALIZER } from "./load-balancer-service.ts";

/**
 * What the service controller writes to services. All goes through the subresource `status`, for which alone it has rights, and only if
 * the service is still the same one.
 */
export class ServiceWrites {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Adds the finalizer, unless the service has it. */
  async addFinalizer(service: CloudService): Promise<void> {
    if (!hasFinalizer(service)) await this.#patch(service, { metadata: { finalizers: [LOAD_BALANCER_FINALIZER] } });
  }

  /** Removes the finalizer, if the service has it. */
  async removeFinalizer(service: CloudService): Promise<void> {
    if (!hasFinalizer(service)) return;
    try {
      await this.#patch(service, { metadata: { "$deleteFromPrimitiveList/finalizers": [LOAD_BALANCER_FINALIZER] } });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  /** Writes the addresses of the load balancer, if they differ. A service that does not exist any more is left alone. */
  async writeStatus(service: CloudService, status: core.LoadBalancerStatus): Promise<void> {
    if (equalStatus(service.status?.loadBalancer, status)) return;
    const { ingress = [] } = status;
    try {
      await this.#patch(service, { status: { loadBalancer: { ingress: ingress.length === 0 ? null : ingress } } });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  async #patch(
    { metadata: { name, namespace = "", uid } }: CloudService,
    patch: { readonly metadata?: object; readonly status?: object },
  ): Promise<void> {
    await this.#client
      .resource(servicesRef)
      .namespace(namespace)
      .patch(name, { ...patch, metadata: { ...patch.metadata, uid } }, { type: "strategic", subresource: "status" });
  }
}
