import { core } from "@orchernetes/api";
import type { EventRecorder } from "@orchernetes/client";
import { type PlainServing, respond } from "@orchernetes/component";
import { type HttpHandler, type Logger, messageOf } from "@orchernetes/kernel";
import type { HealthCheck } from "@orchernetes/proxy";
import { type BindAddress, serveAt } from "./bind-address.ts";

/** The options of {@link ServiceHealth}. */
export interface ServiceHealthOptions {
  readonly nodeName: string;
  /** The addresses to listen on now. While there are none, no port is opened. */
  readonly addresses: () => readonly BindAddress[];
  readonly isProxyHealthy: () => boolean;
  readonly events: EventRecorder;
  readonly logger: Logger;
}

/** A port that is served. */
interface Instance {
  check: HealthCheck;
  readonly servings: readonly PlainServing[];
}

/**
 * Tells load balancers whether this node has endpoints of a service, at a port of the node for each service with external
 * traffic policy Local.
 */
export class ServiceHealth {
  readonly #options: ServiceHealthOptions;
  readonly #instances = new Map<string, Instance>();
  /** Reasons why ports could not be opened, which were reported. */
  readonly #failed = new Map<string, string>();

  constructor(options: ServiceHealthOptions) {
    this.#options = options;
  }

  /**
   * Opens and closes ports. A port that cannot be opened is reported by an event, and tried again with the next call.
   * @param checks by namespace and name of the service
   */
  async sync(checks: ReadonlyMap<string, HealthCheck>): Promise<void> {
    for (const [key, instance] of this.#instances) {
      if (checks.get(key)?.port === instance.check.port) continue;
      this.#instances.delete(key);
      await Promise.all(instance.servings.map((serving) => serving.close()));
    }
    for (const key of this.#failed.keys()) if (!checks.has(key)) this.#failed.delete(key);
    for (const [key, check] of checks) {
      const known = this.#instances.get(key);
      if (known === undefined) await this.#open(key, check);
      else known.check = check;
    }
  }

  /** Closes all ports. */
  close(): Promise<void> {
    return this.sync(new Map());
  }

  async #open(key: string, check: HealthCheck): Promise<void> {
    const servings: PlainServing[] = [];
    const { logger } = this.#options;
    const addresses = this.#options.addresses();
    if (addresses.length === 0) return this.#report(key, check, "the host has no address in nodePortAddresses");
    try {
      for (const address of addresses)
        servings.push(await serveAt(address, { port: check.port, logger }, this.#handler(key)));
      this.#instances.set(key, { check, servings });
      this.#failed.delete(key);
    } catch (error) {
      await Promise.all(servings.map((serving) => serving.close()));
      this.#report(key, check, messageOf(error));
    }
  }

  #report(key: string, { namespace, name, port }: HealthCheck, reason: string): void {
    if (this.#failed.get(key) === reason) return;
    this.#failed.set(key, reason);
    const { nodeName, events, logger } = this.#options;
    const message = `node ${nodeName} failed to start healthcheck "${key}" on port ${port}: ${reason}`;
    logger.error(undefined, "Failed to start healthcheck", { service: key, port, reason });
    const service = { kind: core.services.kind, apiVersion: "v1", namespace, name, uid: key };
    events.event(service, "Warning", "FailedToStartServiceHealthcheck", message, { action: "Listen" });
  }

  #handler(key: string): HttpHandler {
    return (request, response) => {
      const { namespace = "", name = "", localEndpoints = 0 } = this.#instances.get(key)?.check ?? {};
      const serviceProxyHealthy = this.#options.isProxyHealthy();
      const status = localEndpoints > 0 && serviceProxyHealthy ? 200 : 503;
      const body = { service: { namespace, name }, localEndpoints, serviceProxyHealthy };
      const headers = { "content-type": "application/json", "x-content-type-options": "nosniff" };
      respond(request, response, status, headers, JSON.stringify(body, null, "\t"));
    };
  }
}
