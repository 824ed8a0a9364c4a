import type { Frontend } from "./frontends.ts";

/** Names the address and port of a frontend. */
export const frontendId = ({ family, protocol, address, port }: Frontend): string =>
  address === undefined ? `${family} ${protocol} ${port}` : `${address} ${protocol} ${port}`;

/** Load balancers' addresses are in the status, which fewer may write than the external addresses in the specification. */
const ranks = { clusterIP: 0, loadBalancer: 1, externalIP: 2, nodePort: 3 } as const;

/** A service that claims addresses and ports. */
export interface Claimant {
  /** `namespace/name` */
  readonly key: string;
  /** When it was created, in milliseconds since the Unix epoch; `Infinity` if that is not known. */
  readonly createdAtMs: number;
}

interface Claim extends Claimant {
  readonly frontend: Frontend;
}

/**
 * Which service has an address and port. Nothing prevents two services from naming the same external address: then a cluster address
 * comes before load balancers' addresses, these before external ones, and the older service before the other one. The smaller
 * name decides only between services that were created in the same second.
 */
export class Claims {
  /** By address and port, then by service. Most have one service. */
  readonly #claims = new Map<string, Map<string, Claim>>();

  set(id: string, claimant: Claimant, frontend: Frontend): void {
    const claim = { ...claimant, frontend };
    const claims = this.#claims.get(id);
    if (claims === undefined) this.#claims.set(id, new Map([[claim.key, claim]]));
    else claims.set(claim.key, claim);
  }

  delete(id: string, key: string): void {
    const claims = this.#claims.get(id);
    claims?.delete(key);
    if (claims?.size === 0) this.#claims.delete(id);
  }

  /** The frontend that counts. */
  winner(id: string): Frontend | undefined {
    let best: Claim | undefined;
    for (const claim of this.#claims.get(id)?.values() ?? []) {
      if (best === undefined || isBefore(claim, best)) best = claim;
    }
    return best?.frontend;
  }
}

function isBefore(claim: Claim, other: Claim): boolean {
  const difference = ranks[claim.frontend.origin] - ranks[other.frontend.origin];
  if (difference !== 0) return difference < 0;
  if (claim.createdAtMs !== other.createdAtMs) return claim.createdAtMs < other.createdAtMs;
  return claim.key < other.key;
}
