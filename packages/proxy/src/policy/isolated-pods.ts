import type { NftChain, NftSet } from "../nft/table.ts";
import { type Address, type Family, families } from "./addresses.ts";
import type { AllowedTraffic, Direction } from "./allowed-traffic.ts";
import { contentName } from "./content-name.ts";
import type { LiveSetSpec } from "./live-set.ts";

/** A pod of this node: its addresses, and what its policies allow in the directions in which there are any. */
export interface IsolatedPod {
  readonly addresses: readonly Address[];
  readonly allowed: Readonly<Partial<Record<Direction, readonly AllowedTraffic[]>>>;
}

/** The parts of a table that depend on which policies select which pods of this node, by name. */
export interface IsolationParts {
  readonly chains: ReadonlyMap<string, NftChain>;
  /** Sets that never change. */
  readonly fixedSets: ReadonlyMap<string, NftSet>;
  /** Sets that pods of the whole cluster belong to. */
  readonly liveSets: ReadonlyMap<string, LiveSetSpec>;
  /** The elements of each of {@link podSets}. */
  readonly elements: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

/** The directions, in the order in which a packet meets them. */
export const directions: readonly Direction[] = ["egress", "ingress"];

/** The name of the verdict map from addresses of a family to chains. */
export function verdictMapName(direction: Direction, family: Family): string {
  return `${direction}${family}`;
}

/** The name of the set of pairs of an address and itself. */
export function ownTrafficSetName(family: Family): string {
  return `own${family}`;
}

/** The name of the set of bridges between whose ports link-local addresses are closed. */
export const closedLinksSetName = "closed-links";

/** The sets about isolated pods, which every table has. */
export const podSets: readonly Omit<NftSet, "elements">[] = [
  { kind: "set", name: closedLinksSetName, definition: "type ifname;" },
  ...families.flatMap((family): Omit<NftSet, "elements">[] => {
    const type = `ipv${family}_addr`;
    return [
      ...directions.map((direction): Omit<NftSet, "elements"> => {
        const name = verdictMapName(direction, family);
        return { kind: "map", name, definition: `type ${type} : verdict;` };
      }),
      { kind: "set", name: ownTrafficSetName(family), definition: `type ${type} . ${type};` },
    ];
  }),
];

/**
 * Maps the address of each pod to the chain of its combination of policies. Pods with the same combination share a chain,
 * and policies with the same rules, too.
 *
 * @param bridges names of the interfaces that bridge pods of this node
 */
export function isolationParts(pods: readonly IsolatedPod[], bridges: readonly string[]): IsolationParts {
  const chains = new Map<string, NftChain>();
  const fixedSets = new Map<string, NftSet>();
  const liveSets = new Map<string, LiveSetSpec>();
  const elements = new Map(podSets.map(({ name }) => [name, new Map<string, string>()]));
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
        elements.get(verdictMapName(direction, family))?.set(text, `jump ${chain.name}`);
        elements.get(ownTrafficSetName(family))?.set(`${text} . ${text}`, "");
      }
    }
  if (chains.size > 0) for (const bridge of bridges) elements.get(closedLinksSetName)?.set(`"${bridge}"`, "");
  return { chains, fixedSets, liveSets, elements };
}

/** Tries what each policy allows, and drops the rest. */
function combinationChain(traffic: readonly AllowedTraffic[]): NftChain {
  const names = new Set(traffic.flatMap(({ chain }) => (chain === undefined ? [] : [chain.name])));
  const rules = [...[...names].sort().map((name) => `jump ${name}`), "drop"];
  return { name: contentName("pods", rules), rules };
}
