import type { StaleFlows } from "@orchernetes/proxy";

/** How many frontends wait at most; those that waited longest are dropped, and their entries expire by themselves. */
const MAX_FRONTENDS = 10_000;
/** With more endpoints to delete, all entries of the frontend are: that is one deletion, and clients only choose again. */
const MAX_ENDPOINTS = 16;

/** The key of a deletion of all entries of a frontend. */
const ALL = "";

/**
 * Entries of connection tracking that are to be deleted, merged by frontend: each deletion looks through the kernel's whole table
 * of connections.
 */
export class StaleFlowSet {
  /** By frontend, then by the address of the endpoint. */
  readonly #frontends = new Map<string, Map<string, StaleFlows>>();

  get isEmpty(): boolean {
    return this.#frontends.size === 0;
  }

  /** @returns how many frontends were dropped because too many wait */
  add(flows: Iterable<StaleFlows>): number {
    for (const flow of flows) this.#add(flow);
    const excess = Math.max(0, this.#frontends.size - MAX_FRONTENDS);
    this.take(excess);
    return excess;
  }

  /** Removes the deletions of the frontends that have waited longest, and returns them. */
  take(frontends = this.#frontends.size): readonly StaleFlows[] {
    const taken: StaleFlows[] = [];
    let left = frontends;
    for (const [key, flows] of this.#frontends) {
      if (left-- <= 0) break;
      this.#frontends.delete(key);
      taken.push(...flows.values());
    }
    return taken;
  }

  clear(): void {
    this.#frontends.clear();
  }

  #add(flow: StaleFlows): void {
    const key = `${flow.address ?? ""} ${flow.port}`;
    const known = this.#frontends.get(key) ?? new Map<string, StaleFlows>();
    this.#frontends.set(key, known);
    if (known.has(ALL)) return;
    const endpoint = flow.endpoint?.address ?? ALL;
    if (endpoint === ALL || (known.size >= MAX_ENDPOINTS && !known.has(endpoint))) {
      known.clear();
      known.set(ALL, { ...flow, endpoint: undefined });
    } else known.set(endpoint, flow);
  }
}
