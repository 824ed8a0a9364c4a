/**
 * What clients of services with affinity may cost a node, in slots: each has a set and chains with about 15 rules. Such chains are what
 * is slow to load, and services share them only with those of their namespace that have the same timeout.
 */
export const affinityLimits = {
  /** Of one namespace: the most endpoints that a service with affinity uses, at one kind of address. */
  namespace: 1024,
  /** Of all namespaces: loaded within seconds. About 250 services with five endpoints each that share nothing. */
  total: 2048,
  /** What is not taken if a load takes too long: the reason is another one then. */
  least: 128,
} as const;

/** Of what all services may need, with each step after a reduction. */
const GROWTH = 1.25;

/** The limits of {@link AffinityShares}. */
type AffinityLimits = Readonly<Record<keyof typeof affinityLimits, number>>;

/** What the affinity of a service needs: slots by pool. */
export interface AffinityNeed {
  readonly namespace: string;
  readonly seconds: number;
  readonly slots: ReadonlyMap<string, number>;
}

/** The services of a namespace with the same timeout, which share their chains. They have affinity together or not at all. */
interface Sharers {
  readonly id: string;
  readonly namespace: string;
  readonly services: Map<string, AffinityNeed>;
  /** As of `services`; undefined if it must be counted again. */
  cost: number | undefined;
}

/**
 * Decides which services have affinity. All have it as long as the limits are kept. Beyond them, the namespaces that need most are
 * limited to equal shares; within a namespace those services come first that need least together. The decision depends only on the
 * needs, not on their order in time.
 */
export class AffinityShares {
  readonly #sharers = new Map<string, Sharers>();
  /** The sharers of each service. */
  readonly #idByService = new Map<string, string>();
  #refused: ReadonlySet<string> = new Set();
  #granted = 0;
  #total: number;
  readonly #mostTotal: number;
  readonly #perNamespace: number;
  readonly #least: number;
  #isDirty = false;

  constructor(limits: AffinityLimits = affinityLimits) {
    this.#total = limits.total;
    this.#mostTotal = limits.total;
    this.#perNamespace = limits.namespace;
    this.#least = limits.least;
  }

  /** Replaces what a service needs; undefined: it has no affinity, or is gone. */
  set(service: string, need: AffinityNeed | undefined): void {
    const id = need && `${need.seconds} ${need.namespace}`;
    const before = this.#idByService.get(service);
    if (id === undefined && before === undefined) return;
    if (before !== undefined && before !== id) this.#remove(before, service);
    if (id === undefined || need === undefined) return;
    const sharers = this.#sharers.get(id) ?? { id, namespace: need.namespace, services: new Map(), cost: undefined };
    if (isSame(sharers.services.get(service), need)) return;
    sharers.services.set(service, need);
    sharers.cost = undefined;
    this.#sharers.set(id, sharers);
    this.#idByService.set(service, id);
    this.#isDirty = true;
  }

  /** Whether a service has no affinity although it asks for it, as of the last {@link settle}. */
  isRefused(need: Pick<AffinityNeed, "namespace" | "seconds">): boolean {
    return this.#refused.has(`${need.seconds} ${need.namespace}`);
  }

  /** Decides again. Returns the services for which that changes something. */
  settle(): readonly string[] {
    if (!this.#isDirty) return [];
    this.#isDirty = false;
    const before = this.#refused;
    this.#refused = this.#decide();
    const changed = [...this.#refused].filter((id) => !before.has(id));
    for (const id of before) if (!this.#refused.has(id)) changed.push(id);
    return changed.flatMap((id) => [...(this.#sharers.get(id)?.services.keys() ?? [])]);
  }

  /**
   * Halves what all services may need, until {@link grow}: to be called if the table could not be loaded in time. The namespaces that
   * need most lose affinity first.
   *
   * @returns false if that is so little already that it cannot be the reason
   */
  reduce(): boolean {
    if (this.#granted <= this.#least) return false;
    this.#total = Math.max(this.#least, Math.floor(this.#granted / 2));
    this.#isDirty = true;
    return true;
  }

  /**
   * Allows all services together a quarter more, up to the limit: to be called if the table has been loaded well for a while.
   *
   * @returns false if the limit is reached
   */
  grow(): boolean {
    if (this.#total >= this.#mostTotal) return false;
    this.#total = Math.min(this.#mostTotal, Math.ceil(this.#total * GROWTH));
    this.#isDirty = true;
    return true;
  }

  #remove(id: string, service: string): void {
    this.#idByService.delete(service);
    this.#isDirty = true;
    const sharers = this.#sharers.get(id);
    if (sharers?.services.delete(service) !== true) return;
    sharers.cost = undefined;
    if (sharers.services.size === 0) this.#sharers.delete(id);
  }

  #decide(): ReadonlySet<string> {
    const byNamespace = new Map<string, { cost: number; readonly sharers: Sharers[] }>();
    for (const sharers of this.#sharers.values()) {
      const space = byNamespace.get(sharers.namespace) ?? { cost: 0, sharers: [] };
      space.cost += costOf(sharers);
      space.sharers.push(sharers);
      byNamespace.set(sharers.namespace, space);
    }
    const costs = [...byNamespace.values()].map(({ cost }) => cost);
    const share = Math.min(this.#perNamespace, equalShare(costs, this.#total));
    const refused = new Set<string>();
    this.#granted = 0;
    for (const { cost, sharers } of byNamespace.values()) {
      if (cost <= share) this.#granted += cost;
      else this.#granted += refuseBeyond(share, sharers, refused);
    }
    return refused;
  }
}

/** Adds the ids of the sharers beyond the limit, and returns the cost of the others. */
function refuseBeyond(limit: number, sharers: Sharers[], refused: Set<string>): number {
  let granted = 0;
  const inOrder = sharers.sort((a, b) => costOf(a) - costOf(b) || (a.id < b.id ? -1 : 1));
  for (const one of inOrder) {
    if (granted + costOf(one) <= limit) granted += costOf(one);
    else refused.add(one.id);
  }
  return granted;
}

/** The largest share such that the costs, each limited to it, are no more than the total. */
function equalShare(costs: readonly number[], total: number): number {
  let left = total;
  let users = costs.length;
  for (const cost of [...costs].sort((a, b) => a - b)) {
    if (cost * users > left) return left / users;
    left -= cost;
    users--;
  }
  return Number.POSITIVE_INFINITY;
}

/** Slots are made for powers of two (see `EndpointChoice`), and once for all that share them. */
function costOf(sharers: Sharers): number {
  if (sharers.cost !== undefined) return sharers.cost;
  const most = new Map<string, number>();
  for (const { slots } of sharers.services.values())
    for (const [pool, count] of slots) most.set(pool, Math.max(most.get(pool) ?? 0, count));
  let cost = 0;
  for (const count of most.values()) cost += 2 ** Math.ceil(Math.log2(Math.max(1, count)));
  sharers.cost = cost;
  return cost;
}

const isSame = (before: AffinityNeed | undefined, after: AffinityNeed): boolean =>
  before?.slots.size === after.slots.size &&
  [...after.slots].every(([pool, count]) => before.slots.get(pool) === count);
