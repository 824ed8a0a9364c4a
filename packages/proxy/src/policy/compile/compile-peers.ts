import type { networking } from "@orchernetes/api";
import {
  everything,
  type LabelSelector,
  labelSelectorAsSelector,
  type Selector,
  SelectorError,
} from "@orchernetes/apimachinery";
import type { NftSet } from "../../nft/table.ts";
import { addressRangeText, blockRanges } from "../values/address-ranges.ts";
import type { Family } from "../values/addresses.ts";
import { mergeRanges, type Range } from "../values/ranges.ts";
import { fixedSet } from "./fixed-set.ts";
import { type LiveSetSpec, type PodPeer, peerSet } from "./live-set.ts";

/** The peers of a rule: everybody, or the addresses in the sets. Without sets nobody. */
export type PeerMatch =
  | { readonly kind: "any" }
  | {
      readonly kind: "some";
      readonly pods: LiveSetSpec | undefined;
      readonly blocks: readonly { readonly family: Family; readonly set: NftSet }[];
    };

/**
 * Compiles the peers of a rule of a policy in a namespace. An absent or empty list means everybody. A peer that is not
 * valid is reported and selects nobody.
 */
export function compilePeers(
  peers: readonly networking.NetworkPolicyPeer[] | undefined,
  namespace: string,
  report: (error: string) => void,
): PeerMatch {
  if (peers === undefined || peers.length === 0) return { kind: "any" };
  const pods: PodPeer[] = [];
  const ranges: Readonly<Record<Family, Range[]>> = { 4: [], 6: [] };
  for (const [i, { podSelector, namespaceSelector, ipBlock }] of peers.entries()) {
    const reportPeer = (error: string) => report(`peers[${i}]: ${error}`);
    if (ipBlock !== undefined) {
      const found = blockRanges(ipBlock.cidr, ipBlock.except);
      if (found === undefined) reportPeer("invalid ipBlock");
      else for (const range of found.ranges) ranges[found.family].push(range);
    } else if (podSelector !== undefined || namespaceSelector !== undefined) {
      const where = namespaceSelector === undefined ? namespace : compileSelector(namespaceSelector, reportPeer);
      const which = podSelector === undefined ? everything : compileSelector(podSelector, reportPeer);
      if (where !== undefined && which !== undefined) pods.push({ namespace: where, pods: which });
    } else reportPeer("want ipBlock, podSelector or namespaceSelector");
  }
  return {
    kind: "some",
    pods: pods.length === 0 ? undefined : peerSet(pods),
    blocks: ([4, 6] as const).flatMap((family) => blockSet(family, mergeRanges(ranges[family]))),
  };
}

function blockSet(family: Family, ranges: readonly Range[]): { readonly family: Family; readonly set: NftSet }[] {
  if (ranges.length === 0) return [];
  const elements = ranges.map((range) => addressRangeText(family, range));
  return [{ family, set: fixedSet(`blocks${family}`, `ipv${family}_addr`, true, elements) }];
}

/** Compiles a selector; reports one that is not valid and returns undefined. */
export function compileSelector(selector: LabelSelector, report: (error: string) => void): Selector | undefined {
  try {
    return labelSelectorAsSelector(selector);
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    report(error.message);
    return undefined;
  }
}
