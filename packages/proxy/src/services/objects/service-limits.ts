/**
 * What one service may take of a node. Whoever may create services and slices decides about the number of ports, addresses and
 * endpoints, and their product would be the node's memory and the time of every synchronization. What is beyond is not served,
 * and reported.
 */
export const serviceLimits = {
  /** External addresses, and addresses of load balancers, of one family each. */
  addresses: 1000,
  /** `loadBalancerSourceRanges` of one family, after those inside of others are gone. */
  sourceRanges: 1000,
  /** Addresses and ports of one family that have endpoints. */
  endpoints: 30_000,
  /** Frontends: its addresses and node ports, for each of its ports. */
  frontends: 10_000,
  /** Elements of sets and maps: each frontend has its endpoints and source ranges. */
  elements: 100_000,
} as const;

/** Takes a problem of a service: a sentence for whoever looks after the node. */
export type Report = (problem: string) => void;

/** The first items of a list, as many as the limit says; more are reported as `what`. */
export function limited<T>(items: readonly T[], limit: number, what: string, report: Report): readonly T[] {
  if (items.length <= limit) return items;
  report(`${items.length} ${what}; only the first ${limit} are used`);
  return items.slice(0, limit);
}
