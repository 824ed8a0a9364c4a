import type { core } from "@orchernetes/api";
import { isReservedNodePort } from "@orchernetes/component-helpers";
import { AddressIndex } from "./address-index.ts";

/** Names a port of a protocol, as `protocol` of a service's port does. */
const portText = (protocol: string, port: number): string => `${port}/${protocol}`;

/**
 * Ports at the node's own addresses that no load balancer may have: those of daemons, the node's agent, and node ports of other services,
 * also of those that another proxy serves. Packets are looked up by address and port before they are by node port, so a load
 * balancer would get what is sent to them.
 */
export class NodePorts {
  /** Node ports of services. The texts of the index are ports. */
  readonly #nodePorts = new AddressIndex();
  /** Ports of services with load balancers, which are looked at again when a port becomes a node port, or free. */
  readonly #balanced = new AddressIndex();

  /**
   * Whether a load balancer of a service may not have a port.
   *
   * @param agentPort port of the node's agent, if it is known
   */
  isTaken(service: string, protocol: string, port: number, agentPort: number | undefined): boolean {
    if (isReservedNodePort(port) || port === agentPort) return true;
    for (const owner of this.#nodePorts.of(portText(protocol, port))) if (owner !== service) return true;
    return false;
  }

  /**
   * Replaces a service; undefined if it is gone.
   *
   * @returns the services, by `key`, for which {@link isTaken} may answer differently now
   */
  set(key: string, service: core.Service | undefined): ReadonlySet<string> {
    const ports = service?.spec.ports ?? [];
    const isBalanced = (service?.status?.loadBalancer?.ingress ?? []).length > 0;
    const own = isBalanced ? ports.map(({ protocol = "TCP", port }) => portText(protocol, port)) : [];
    this.#balanced.replace(key, new Set(own));
    const used = new Set<string>();
    for (const { protocol = "TCP", nodePort = 0 } of ports) if (nodePort !== 0) used.add(portText(protocol, nodePort));
    const healthCheck = service?.spec.healthCheckNodePort ?? 0;
    if (healthCheck !== 0) used.add(portText("TCP", healthCheck));
    const changed = this.#nodePorts.replace(key, used);
    return new Set(changed.flatMap((port) => [...this.#balanced.of(port)]));
  }
}
