import type { Frontend } from "../frontends/frontends.ts";
import { maxSlots } from "../tables/frontend-elements.ts";
import { poolsOf, scopeOfFrontend } from "../tables/scopes.ts";
import type { AffinityNeed } from "./affinity-shares.ts";

/** How many slots the endpoints of a frontend are in now: all, and the node's own. They have gaps where endpoints are gone. */
type SlotsInUse = (id: string) => { readonly all: number; readonly local: number };

/** What the affinity of a service needs, by its frontends as it asks for them. Undefined if it asks for none. */
export function affinityNeed(
  frontends: ReadonlyMap<string, Frontend>,
  slotsInUse: SlotsInUse,
): AffinityNeed | undefined {
  let need: { readonly namespace: string; readonly seconds: number; readonly slots: Map<string, number> } | undefined;
  for (const [id, frontend] of frontends) {
    const { served, namespace, protocol } = frontend;
    if (served?.affinitySeconds === undefined) continue;
    need ??= { namespace, seconds: served.affinitySeconds, slots: new Map() };
    const { slots } = need;
    const add = (pool: string, endpoints: number, inUse: number): void => {
      const count = Math.max(Math.min(endpoints, maxSlots), inUse);
      if (count > (slots.get(pool) ?? 0)) slots.set(pool, count);
    };
    const pools = poolsOf(scopeOfFrontend(frontend), protocol);
    const { all, local } = slotsInUse(id);
    add(pools.all.id, served.endpoints.length, all);
    add(pools.local.id, served.localEndpoints.length, local);
  }
  return need;
}

/** The frontends without affinity. */
export function withoutAffinity(frontends: ReadonlyMap<string, Frontend>): ReadonlyMap<string, Frontend> {
  return new Map(
    [...frontends].map(([id, frontend]) => {
      const { served } = frontend;
      return [id, served === undefined ? frontend : { ...frontend, served: { ...served, affinitySeconds: undefined } }];
    }),
  );
}
