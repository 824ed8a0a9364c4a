import type { HostPort } from "./pod-demand.ts";

/** Whether two pods with these ports conflict on one node. */
export const hostPortsConflict = (a: HostPort, b: HostPort): boolean =>
  a.port === b.port && a.protocol === b.protocol && (a.ip === b.ip || a.ip === ANY || b.ip === ANY);

const ANY = "0.0.0.0";

/** The host ports in use on each node. Address 0.0.0.0 conflicts with every address. */
export class HostPorts {
  readonly #bySlot: (Map<string, number> | undefined)[] = [];

  /** Whether one of the ports is in use on the node. */
  conflict(slot: number, ports: readonly HostPort[]): boolean {
    const taken = this.#bySlot[slot];
    if (taken === undefined || taken.size === 0) return false;
    return ports.some(({ ip, protocol, port }) => {
      const suffix = `/${protocol}/${port}`;
      if (ip !== "0.0.0.0") return taken.has(`${ip}${suffix}`) || taken.has(`0.0.0.0${suffix}`);
      for (const key of taken.keys()) if (key.endsWith(suffix)) return true;
      return false;
    });
  }

  /**
   * Counts the ports of pods that are added, or removed (below 0). Counts, because two pods can have the same port for a
   * moment.
   */
  count(slot: number, ports: readonly HostPort[], added: number): void {
    if (ports.length === 0) return;
    const taken = this.#bySlot[slot] ?? new Map<string, number>();
    this.#bySlot[slot] = taken;
    for (const { ip, protocol, port } of ports) {
      const key = `${ip}/${protocol}/${port}`;
      const count = (taken.get(key) ?? 0) + added;
      if (count > 0) taken.set(key, count);
      else taken.delete(key);
    }
  }

  /** Drops the ports of a slot, before another node gets it. */
  clear(slot: number): void {
    this.#bySlot[slot] = undefined;
  }
}
