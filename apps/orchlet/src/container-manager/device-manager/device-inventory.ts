import type { Clock } from "@orchernetes/kernel";
import { healthyText, type PluginDevice } from "./device-plugin-api.ts";

/** A device of the node. */
export interface Device {
  readonly id: string;
  readonly isHealthy: boolean;
  /** The NUMA nodes that it belongs to; empty if it belongs to none. */
  readonly nodes: readonly number[];
}

/** How many devices the node has, by resource. */
export interface DeviceAmounts {
  readonly capacity: Readonly<Record<string, string>>;
  readonly allocatable: Readonly<Record<string, string>>;
}

/** How long the node keeps the capacity of a plugin that has disconnected, so that a plugin can be updated. As in the original. */
const graceMs = 5 * 60_000;

interface Resource {
  devices: ReadonlyMap<string, Device>;
  /** Time since which no plugin serves the resource. */
  goneSinceMs: number | undefined;
}

/** The devices of the node, by resource. */
export class DeviceInventory {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #resources = new Map<string, Resource>();
  /** Resources that the node no longer has. */
  readonly #removed = new Set<string>();

  /** @param known resources of an earlier run of the agent: they have no devices until their plugins register again */
  constructor(clock: Pick<Clock, "monotonicMs">, known: Iterable<string>) {
    this.#clock = clock;
    for (const resource of known)
      this.#resources.set(resource, { devices: new Map(), goneSinceMs: clock.monotonicMs() });
  }

  has(resource: string): boolean {
    return this.#resources.has(resource);
  }

  /** How many resources the node's status has. */
  get size(): number {
    return this.#resources.size + this.#removed.size;
  }

  /** Resources in the order in which they became known. */
  get resources(): readonly string[] {
    return [...this.#resources.keys()];
  }

  devices(resource: string): ReadonlyMap<string, Device> {
    return this.#resources.get(resource)?.devices ?? new Map();
  }

  healthy(resource: string): readonly string[] {
    return [...this.devices(resource).values()].flatMap(({ id, isHealthy }) => (isHealthy ? [id] : []));
  }

  /** A plugin serves the resource. */
  register(resource: string): void {
    this.#removed.delete(resource);
    this.#resources.set(resource, { devices: this.devices(resource), goneSinceMs: undefined });
  }

  /** Replaces the devices of a resource by those that its plugin has sent. Of devices with the same id the last one counts. */
  set(resource: string, devices: readonly PluginDevice[]): void {
    this.#resources.set(resource, {
      goneSinceMs: undefined,
      devices: new Map(
        devices.map(({ id, health, topology }) => [
          id,
          { id, isHealthy: health === healthyText, nodes: (topology?.nodes ?? []).map((node) => node.id) },
        ]),
      ),
    });
  }

  /** No plugin serves the resource: its devices stay, and are unhealthy. */
  gone(resource: string): void {
    const devices = [...this.devices(resource).values()].map((device) => ({ ...device, isHealthy: false }));
    this.#resources.set(resource, {
      devices: new Map(devices.map((device) => [device.id, device])),
      goneSinceMs: this.#clock.monotonicMs(),
    });
  }

  /** The resources for the node's status. A resource whose plugin has been disconnected for five minutes is removed. */
  amounts(): DeviceAmounts {
    for (const [resource, { goneSinceMs }] of this.#resources)
      if (goneSinceMs !== undefined && this.#clock.monotonicMs() - goneSinceMs > graceMs) {
        this.#resources.delete(resource);
        this.#removed.add(resource);
      }
    // An entry of the node's status cannot be deleted: other writers may have set it.
    const removed = [...this.#removed].map((resource) => [resource, "0"]);
    const counts = (count: (resource: string) => number) =>
      Object.fromEntries([...removed, ...this.resources.map((resource) => [resource, String(count(resource))])]);
    return {
      capacity: counts((resource) => this.devices(resource).size),
      allocatable: counts((resource) => this.healthy(resource).length),
    };
  }
}
