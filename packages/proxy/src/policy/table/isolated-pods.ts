import type { NftChain, NftSet } from "../../nft/table.ts";
import type { AllowedTraffic, Direction } from "../compile/allowed-traffic.ts";
import { type Address, type Family, families } from "../values/addresses.ts";
import { contentName } from "../values/content-name.ts";

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
  /** Names of the sets that pods of the whole cluster belong to. */
  readonly liveSets: ReadonlySet<string>;
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
 */
export class IsolationBuilder {
  readonly #chains = new Map<string, NftChain>();
  readonly #fixedSets = new Map<string, NftSet>();
  readonly #liveSets = new Set<string>();
  readonly #elements = new Map(podSets.map(({ name }) => [name, new Map<string, string>()]));

  /** Adds a pod that at least one policy selects. */
  add({ addresses, allowed }: IsolatedPod): void {
    for (const direction of directions) {
      const traffic = allowed[direction] ?? [];
      if (traffic.length === 0 || traffic.some(({ isEverything }) => isEverything)) continue;
      const chain = combinationChain(traffic);
      this.#chains.set(chain.name, chain);
      for (const part of traffic) this.#addTraffic(part);
      for (const { family, text } of addresses) {
        this.#elements.get(verdictMapName(direction, family))?.set(text, `jump ${chain.name}`);
        this.#elements.get(ownTrafficSetName(family))?.set(`${text} . ${text}`, "");
      }
    }
  }

  /** @param bridges names of the interfaces that bridge pods of this node */
  parts(bridges: readonly string[]): IsolationParts {
    const [chains, fixedSets, liveSets, elements] = [this.#chains, this.#fixedSets, this.#liveSets, this.#elements];
    if (chains.size > 0) for (const bridge of bridges) elements.get(closedLinksSetName)?.set(`"${bridge}"`, "");
    return { chains, fixedSets, liveSets, elements };
  }

  #addTraffic({ chain, fixedSets, liveSets }: AllowedTraffic): void {
    if (chain === undefined || this.#chains.has(chain.name)) return;
    this.#chains.set(chain.name, chain);
    for (const set of fixedSets) this.#fixedSets.set(set.name, set);
    for (const { name } of liveSets) this.#liveSets.add(name);
  }
}

/** Tries what each policy allows, and drops the rest. */
function combinationChain(traffic: readonly AllowedTraffic[]): NftChain {
  const names = new Set(traffic.flatMap(({ chain }) => (chain === undefined ? [] : [chain.name])));
  const rules = [...[...names].sort().map((name) => `jump ${name}`), "drop"];
  return { name: contentName("pods", rules), rules };
}
