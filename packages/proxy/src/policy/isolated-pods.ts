import type { NftChain, NftSet } from "../nft/table.ts";
import type { Address, Family } from "./addresses.ts";
import type { AllowedTraffic, Direction } from "./allowed-traffic.ts";
import { contentName } from "./content-name.ts";
import type { LiveSetSpec } from "./live-set.ts";

/** A pod of this node: its addresses, and what its policies allow in the directions in which there are any. */
export interface IsolatedPod {
  readonly addresses: readonly Address[];
  readonly allowed: Readonly<Partial<Record<Direction, readonly AllowedTraffic[]>>>;
}

/** The parts of a table that depend on which policies select which pods of this node. */
export interface IsolationParts {
  readonly chains: readonly NftChain[];
  /** The verdict maps, and all sets that never change. */
  readonly sets: readonly NftSet[];
  /** The sets that chains refer to and that pods of the whole cluster belong to. */
  readonly liveSets: readonly LiveSetSpec[];
}

/** The directions, in the order in which a packet meets them. */
export const directions: readonly Direction[] = ["egress", "ingress"];
/** Both families. */
export const families: readonly Family[] = [4, 6];

/** The name of the verdict map from addresses of a family to chains. */
export function verdictMapName(direction: Direction, family: Family): string {
  return `${direction}${family}`;
}

/** The name of the set of pairs of an address and itself. */
export function ownTrafficSetName(family: Family): string {
  return `own${family}`;
}

/**
 * Maps the address of each pod to the chain of its combination of policies. Pods with the same combination share a chain,
 * and policies with the same rules, too.
 */
export function isolationParts(pods: readonly IsolatedPod[]): IsolationParts {
  const named = <T extends { readonly name: string }>() => new Map<string, T>();
  const chains = named<NftChain>();
  const fixedSets = named<NftSet>();
  const liveSets = named<LiveSetSpec>();
  const maps = new Map<string, Map<string, string>>();
  const put = (map: string, element: string, value: string) => {
    const elements = maps.get(map);
    if (elements === undefined) maps.set(map, new Map([[element, value]]));
    else elements.set(element, value);
  };
  for (const { addresses, allowed } of pods)
    for (const direction of directions) {
      const traffic = allowed[direction] ?? [];
      if (traffic.length === 0 || traffic.some(({ isEverything }) => isEverything)) continue;
      const chain = combinationChain(traffic);
      chains.set(chain.name, chain);
      for (const part of traffic) {
        if (part.chain !== undefined) chains.set(part.chain.name, part.chain);
        for (const set of part.fixedSets) fixedSets.set(set.name, set);
        for (const set of part.liveSets) liveSets.set(set.name, set);
      }
      for (const { family, text } of addresses) {
        put(verdictMapName(direction, family), text, `jump ${chain.name}`);
        put(ownTrafficSetName(family), `${text} . ${text}`, "");
      }
    }
  const podSets = families.flatMap((family) => [
    ...directions.map((direction): NftSet => {
      const name = verdictMapName(direction, family);
      return {
        kind: "map",
        name,
        definition: `type ipv${family}_addr : verdict;`,
        elements: maps.get(name) ?? new Map(),
      };
    }),
    ownTrafficSet(family, maps.get(ownTrafficSetName(family)) ?? new Map()),
  ]);
  return { chains: [...chains.values()], sets: [...podSets, ...fixedSets.values()], liveSets: [...liveSets.values()] };
}

function ownTrafficSet(family: Family, elements: ReadonlyMap<string, string>): NftSet {
  const type = `ipv${family}_addr`;
  return { kind: "set", name: ownTrafficSetName(family), definition: `type ${type} . ${type};`, elements };
}

/** Tries what each policy allows, and drops the rest. */
function combinationChain(traffic: readonly AllowedTraffic[]): NftChain {
  const names = new Set(traffic.flatMap(({ chain }) => (chain === undefined ? [] : [chain.name])));
  const rules = [...[...names].sort().map((name) => `jump ${name}`), "drop"];
  return { name: contentName("pods", rules), rules };
}
