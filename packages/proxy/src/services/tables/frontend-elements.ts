import { assertNever } from "@orchernetes/kernel";
import type { Frontend, Served } from "../frontends/frontends.ts";
import type { Endpoint } from "../objects/endpoints.ts";
import { arrange } from "./arrangement.ts";
import { rangedChain, refuseChain } from "./base-chains.ts";
import { type EndpointChoice, type Part, type Parts, slotName } from "./parts.ts";
import {
  frontendKey,
  localServicesMap,
  type Pool,
  poolSetName,
  poolsOf,
  rangedServicesMap,
  type Scope,
  scopeOfFrontend,
  servicesMap,
  sourceRanges,
  unservedMap,
} from "./scopes.ts";

/** An element of a set or map of the table. */
export interface Element {
  readonly set: string;
  readonly element: string;
  readonly value: string;
}

/** Where the endpoints of a frontend are: kept, so that a change of one endpoint is a change of few elements. */
interface Places {
  /** Endpoints by their number. */
  readonly order: readonly string[];
  /** Endpoints by slot, with gaps; empty without affinity. */
  readonly slots: readonly (string | undefined)[];
}

/** A frontend as elements of the table. */
export interface FrontendElements {
  readonly frontend: Frontend;
  readonly elements: readonly Element[];
  /** The chains that the elements refer to. */
  readonly parts: readonly Part[];
  readonly all: Places;
  readonly local: Places;
}

const nowhere: Places = { order: [], slots: [] };

/**
 * The elements of a frontend.
 *
 * @param before where the endpoints of the same frontend were before, if they were anywhere
 */
export function frontendElements(
  parts: Parts,
  frontend: Frontend,
  before?: Pick<FrontendElements, "all" | "local">,
): FrontendElements {
  const scope = scopeOfFrontend(frontend);
  const key = frontendKey(frontend);
  const { served, otherwise } = frontend;
  const elements: Element[] = [];
  const needed: Part[] = [];
  if (otherwise !== undefined) {
    const value = otherwise === "refuse" ? `goto ${refuseChain}` : "drop";
    elements.push({ set: unservedMap(scope), element: key, value });
  }
  if (served === undefined) return { frontend, elements, parts: needed, all: nowhere, local: nowhere };
  const pools = poolsOf(scope, frontend.protocol);
  const all = places(served.endpoints, served, before?.all);
  addPool(elements, pools.all, key, all, frontend, served);
  let local = nowhere;
  if (served.localEndpoints.length > 0) {
    local = places(served.localEndpoints, served, before?.local);
    addPool(elements, pools.local, key, local, frontend, served);
    const part = parts.plain(pools.local, choiceOf(local, frontend, served));
    needed.push(part);
    elements.push({ set: localServicesMap(scope), element: key, value: `goto ${part.name}` });
  }
  const entry = entryPart(parts, frontend, served, choiceOf(all, frontend, served));
  needed.push(entry);
  addEntry(elements, scope, key, served, entry);
  return { frontend, elements, parts: needed, all, local };
}

/** The addresses of endpoints that may be on this node. */
export function ownAddresses({ frontend: { served } }: FrontendElements): readonly string[] {
  if (served === undefined) return [];
  const own = [...served.endpoints, ...served.localEndpoints].filter(
    ({ isLocal, isAnywhere }) => isLocal || isAnywhere,
  );
  return [...new Set(own.map(({ address }) => address))];
}

function entryPart(parts: Parts, frontend: Frontend, { traffic }: Served, choice: EndpointChoice): Part {
  const scope = scopeOfFrontend(frontend);
  const { all } = poolsOf(scope, frontend.protocol);
  switch (traffic) {
    case "internal":
      return parts.internal(all, choice);
    case "external":
      return parts.external(all, choice);
    case "externalLocal":
      return parts.externalLocal(scope, frontend.protocol, choice);
    default:
      return assertNever(traffic);
  }
}

function addEntry(elements: Element[], scope: Scope, key: string, { sourceRanges: ranges }: Served, part: Part): void {
  const value = `goto ${part.name}`;
  if (ranges === undefined) {
    elements.push({ set: servicesMap(scope), element: key, value });
    return;
  }
  elements.push({ set: servicesMap(scope), element: key, value: `goto ${rangedChain(scope)}` });
  elements.push({ set: rangedServicesMap(scope), element: key, value });
  for (const range of ranges) elements.push({ set: sourceRanges(scope), element: `${key} . ${range}`, value: "" });
}

/** The services of a namespace share what the kernel may note of their clients: no namespace can use up what others have. */
const groupOf = (namespace: string): string => (/^[a-z0-9][-a-z0-9]{0,62}$/.test(namespace) ? namespace : "_");

const endpointText = ({ address, port }: Endpoint): string => `${address} . ${port}`;

/** Endpoints of a service with affinity beyond this number get no traffic: each needs a set and chains of its own. */
export const maxSlots = 1024;

function places(endpoints: readonly Endpoint[], { affinitySeconds }: Served, before: Places = nowhere): Places {
  const texts = endpoints.map(endpointText);
  if (affinitySeconds === undefined) return { order: orderOf(texts, before), slots: [] };
  const known = new Set(before.slots);
  const oldFirst = texts.length <= maxSlots ? texts : texts.sort((a, b) => Number(known.has(b)) - Number(known.has(a)));
  const used = oldFirst.slice(0, maxSlots);
  return { order: orderOf(used, before), slots: arrange(before.slots, used, "allowed") };
}

const orderOf = (texts: readonly string[], before: Places): readonly string[] =>
  arrange(before.order, texts, "filled").filter((text) => text !== undefined);

function choiceOf({ order, slots }: Places, { namespace }: Frontend, { affinitySeconds }: Served): EndpointChoice {
  if (affinitySeconds === undefined) return { kind: "random", count: order.length };
  const capacity = 2 ** Math.ceil(Math.log2(slots.length));
  return { kind: "sticky", count: order.length, capacity, seconds: affinitySeconds, group: groupOf(namespace) };
}

function addPool(
  elements: Element[],
  pool: Pool,
  key: string,
  { order, slots }: Places,
  { namespace }: Frontend,
  { affinitySeconds }: Served,
): void {
  if (affinitySeconds === undefined) {
    const set = poolSetName(pool, "endpoints");
    for (const [i, value] of order.entries()) elements.push({ set, element: `${key} . ${i}`, value });
    return;
  }
  const slotOf = new Map(slots.map((text, slot) => [text, slot]));
  for (const [i, value] of order.entries()) {
    const slot = slotOf.get(value) ?? 0;
    const chain = slotName(pool, slot, { seconds: affinitySeconds, group: groupOf(namespace) });
    elements.push({ set: poolSetName(pool, "stickyPicks"), element: `${key} . ${i}`, value: `goto ${chain}` });
    elements.push({ set: poolSetName(pool, "stickyLive"), element: `${key} . ${slot}`, value: "" });
    elements.push({ set: poolSetName(pool, "stickyEndpoints"), element: `${key} . ${slot}`, value });
  }
}
