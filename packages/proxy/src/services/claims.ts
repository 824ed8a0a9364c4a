import type { Frontend } from "./frontends.ts";

/** Names the address and port of a frontend. */
export const frontendId = ({ family, protocol, address, port }: Frontend): string =>
  address === undefined ? `${family} ${protocol} ${port}` : `${address} ${protocol} ${port}`;

const ranks = { clusterIP: 0, externalIP: 1, loadBalancer: 2, nodePort: 3 } as const;

/**
 * Who has an address and port. Nothing prevents two services from naming the same external address: then a cluster address
 * comes before external addresses, these before load balancers', and the service with the smaller name before the other one.
 */
export class Claims {
  /** By address and port, then by service. Most have one service. */
  readonly #claims = new Map<string, Map<string, Frontend>>();

  set(id: string, service: string, frontend: Frontend): void {
    const claims = this.#claims.get(id);
    if (claims === undefined) this.#claims.set(id, new Map([[service, frontend]]));
    else claims.set(service, frontend);
  }

  delete(id: string, service: string): void {
    const claims = this.#claims.get(id);
    claims?.delete(service);
    if (claims?.size === 0) this.#claims.delete(id);
  }

  /** The frontend that counts. */
  winner(id: string): Frontend | undefined {
    let best: readonly [string, Frontend] | undefined;
    for (const claim of this.#claims.get(id) ?? []) if (best === undefined || isBefore(claim, best)) best = claim;
    return best?.[1];
  }
}

function isBefore(
  [name, { origin }]: readonly [string, Frontend],
  [other, than]: readonly [string, Frontend],
): boolean {
  const difference = ranks[origin] - ranks[than.origin];
  return difference === 0 ? name < other : difference < 0;
}
