import type { NftChain, NftSet } from "../../nft/table.ts";
import type { Protocol } from "../objects/service-ports.ts";
import { localServicesMap, type Pool, poolSet, poolsOf, type Scope } from "./scopes.ts";
import type { TrafficRules } from "./traffic-rules.ts";

/** A chain or a set that is in the table as long as something refers to it. Equal names are equal parts. */
export interface Part {
  readonly name: string;
  /** Its content, and what that refers to besides what every table has. */
  readonly build: () => BuiltPart;
}

export interface BuiltPart {
  readonly content:
    | { readonly kind: "chain"; readonly chain: NftChain }
    | { readonly kind: "set"; readonly set: Omit<NftSet, "elements"> };
  readonly needs: readonly Part[];
}

/** How one of several endpoints is chosen. Frontends that choose in the same way share their chains. */
export type EndpointChoice =
  | { readonly kind: "random"; readonly count: number }
  | ({
      readonly kind: "sticky";
      readonly count: number;
      /** A power of two, and at least the number of slots, so that few different chains are needed. */
      readonly capacity: number;
    } & Affinity);

/** How clients stay with their endpoints. */
export interface Affinity {
  /** How long after their last connection. */
  readonly seconds: number;
  /** Name of the services that share the sets of clients. */
  readonly group: string;
}

/**
 * The chains that choose an endpoint and rewrite the destination.
 *
 * One map has the endpoints of all frontends, by frontend and number; a chain for each *count* of endpoints draws the number.
 * So the number of chains does not grow with that of services: chains are what is slow to load.
 *
 * With affinity, each endpoint of a frontend is in a slot that it keeps. A set for each slot number has the clients that were
 * sent there, as frontend and client address, with a timeout. A connection first goes through these sets, and a client that
 * is in none of them draws an endpoint. If the slot of a client is empty now, it leaves the set and draws. Each group of services
 * has sets of its own, and chains that use them.
 */
export class Parts {
  readonly #rules: TrafficRules;

  constructor(rules: TrafficRules) {
    this.#rules = rules;
  }

  /** Rewrites the destination, without regard to the source. */
  plain(pool: Pool, choice: EndpointChoice): Part {
    return chainPart(`${pool.id}-pick-${choiceName(choice)}`, () => choose(pool, choice));
  }

  /** For traffic to a cluster address. */
  internal(pool: Pool, choice: EndpointChoice): Part {
    const masquerade = this.#rules.masqueradeInternal(pool.scope.family);
    if (masquerade.length === 0) return this.plain(pool, choice);
    return chainPart(`${pool.id}-internal-${choiceName(choice)}`, () => {
      const { rules, needs } = choose(pool, choice);
      return { rules: [...masquerade, ...rules], needs };
    });
  }

  /** For traffic to an external address. */
  external(pool: Pool, choice: EndpointChoice): Part {
    return chainPart(`${pool.id}-external-${choiceName(choice)}`, () => {
      const { rules, needs } = choose(pool, choice);
      return { rules: [this.#rules.markToMasquerade, ...rules], needs };
    });
  }

  /** For traffic to an external address whose traffic from outside goes to local endpoints, which another map has. */
  externalLocal(scope: Scope, protocol: Protocol, choice: EndpointChoice): Part {
    const { all } = poolsOf(scope, protocol);
    return chainPart(`${all.id}-external-local-${choiceName(choice)}`, () => {
      const plain = this.plain(all, choice);
      const external = this.external(all, choice);
      const rules = [
        ...this.#rules.fromPods(scope.family).map((match) => `${match} goto ${plain.name}`),
        ...this.#rules.fromNode.map((match) => `${match} goto ${external.name}`),
        `${scope.key} vmap @${localServicesMap(scope)}`,
      ];
      return { rules, needs: [plain, external] };
    });
  }
}

interface ChainContent {
  readonly rules: readonly string[];
  readonly needs: readonly Part[];
}

function chainPart(name: string, content: () => ChainContent): Part {
  return {
    name,
    build() {
      const { rules, needs } = content();
      return { content: { kind: "chain", chain: { name, rules } }, needs };
    },
  };
}

const choiceName = (choice: EndpointChoice): string =>
  choice.kind === "random" ? String(choice.count) : `${choice.count}-of-${choice.capacity}-${affinityName(choice)}`;

/** End of the names of what belongs to an affinity. The group is last: it has dashes of its own. */
const affinityName = ({ seconds, group }: Affinity): string => `for-${seconds}-in-${group}`;

function choose(pool: Pool, choice: EndpointChoice): ChainContent {
  const { key, dnat } = pool.scope;
  const number = `${key} . numgen random mod ${choice.count}`;
  if (choice.kind === "random") {
    const endpoints = setPart(poolSet(pool, "endpoints"));
    return { rules: [`${dnat} ${number} map @${endpoints.name}`], needs: [endpoints] };
  }
  const known = knownClients(pool, choice.capacity, choice);
  const picks = setPart(poolSet(pool, "stickyPicks"));
  return { rules: [`jump ${known.name}`, `${number} vmap @${picks.name}`], needs: [known, picks] };
}

function knownClients(pool: Pool, capacity: number, affinity: Affinity): Part {
  const { key, client } = pool.scope;
  return chainPart(`${pool.id}-known-${capacity}-${affinityName(affinity)}`, () => {
    const slots = Array.from({ length: capacity }, (_, i) => i);
    return {
      rules: slots.map((i) => {
        return `${key} . ${client} @${clientsSet(pool, i, affinity).name} jump ${slotName(pool, i, affinity)}`;
      }),
      needs: slots.flatMap((i) => [slotPart(pool, i, affinity), clientsSet(pool, i, affinity)]),
    };
  });
}

/** Name of the chain that sends to the endpoint in a slot, and remembers the client for some seconds. */
export const slotName = (pool: Pool, slot: number, affinity: Affinity): string =>
  `${pool.id}-slot-${slot}-${affinityName(affinity)}`;

function slotPart(pool: Pool, slot: number, affinity: Affinity): Part {
  const { key, client, dnat } = pool.scope;
  return chainPart(slotName(pool, slot, affinity), () => {
    const set = clientsSet(pool, slot, affinity);
    // The way to write a constant inside of a concatenation.
    const numbered = `${key} . numgen random mod 1 offset ${slot}`;
    const live = setPart(poolSet(pool, "stickyLive"));
    const endpoints = setPart(poolSet(pool, "stickyEndpoints"));
    const goThere = `${dnat} ${numbered} map @${endpoints.name}`;
    const remember = `update @${set.name} { ${key} . ${client} timeout ${affinity.seconds}s }`;
    return {
      rules: [
        `${numbered} @${live.name} ${remember} ${goThere}`,
        // The slot is empty, or the set is full. Either way the client is not remembered.
        `delete @${set.name} { ${key} . ${client} }`,
        goThere,
      ],
      needs: [set, live, endpoints],
    };
  });
}

/**
 * How many clients of a slot are remembered; more are served without. The kernel reserves up to 16 bytes for each, used or not, so
 * slots that only services with many endpoints have are smaller: they share their clients among more slots. All slots of a group
 * take 5 MiB at most, of each of its pools.
 */
const maxClients = (slot: number): number => (slot < 4 ? 4095 : slot < 64 ? 1023 : 255);

/** The clients that were sent to a slot: frontend and address. */
function clientsSet(pool: Pool, slot: number, { group }: Affinity): Part {
  const name = `${pool.id}-clients-${slot}-in-${group}`;
  const { key, client } = pool.scope;
  const definition = `typeof ${key} . ${client}; size ${maxClients(slot)}; flags dynamic,timeout;`;
  return setPart({ kind: "set", name, definition });
}

const setPart = (set: Omit<NftSet, "elements">): Part => ({
  name: set.name,
  build: () => ({ content: { kind: "set", set }, needs: [] }),
});
