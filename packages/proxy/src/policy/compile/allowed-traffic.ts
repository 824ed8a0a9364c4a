import type { NftChain, NftSet } from "../../nft/table.ts";
import type { Family } from "../values/addresses.ts";
import { contentName } from "../values/content-name.ts";
import type { PeerMatch } from "./compile-peers.ts";
import type { PortMatch } from "./compile-ports.ts";
import { type LiveSetSpec, liveSetName } from "./live-set.ts";

/** Whether connections to pods or from pods are meant. */
export type Direction = "ingress" | "egress";

/** A rule of a policy: the peers, and the ports of whoever is connected to. */
export interface RuleMatch {
  readonly peers: PeerMatch;
  readonly ports: PortMatch;
}

/** What a policy allows in one direction, as a chain that accepts it and returns for everything else. */
export interface AllowedTraffic {
  /** Undefined if nothing is allowed. */
  readonly chain: NftChain | undefined;
  /** Whether all is allowed, so that other policies of a pod add nothing. */
  readonly isEverything: boolean;
  readonly fixedSets: readonly NftSet[];
  readonly liveSets: readonly LiveSetSpec[];
}

/** Nothing. */
export const nothingAllowed: AllowedTraffic = { chain: undefined, isEverything: false, fixedSets: [], liveSets: [] };

/** A condition of a rule of the packet filter, for packets of one family or of both. */
interface Condition {
  readonly family: Family | undefined;
  readonly text: string;
}

const anything: readonly Condition[] = [{ family: undefined, text: "" }];

/** The field of a packet that has the address of a family. */
function addressField(family: Family, end: "saddr" | "daddr"): string {
  return `${family === 4 ? "ip" : "ip6"} ${end}`;
}

function peerConditions(peers: PeerMatch, direction: Direction): readonly Condition[] {
  if (peers.kind === "any") return anything;
  const { pods, blocks } = peers;
  const end = direction === "ingress" ? "saddr" : "daddr";
  const condition = (family: Family, set: string) => ({ family, text: `${addressField(family, end)} @${set}` });
  return [
    ...(pods === undefined ? [] : ([4, 6] as const).map((family) => condition(family, liveSetName(pods, family)))),
    ...blocks.map(({ family, set }) => condition(family, set.name)),
  ];
}

function portConditions(ports: PortMatch): readonly Condition[] {
  if (ports.kind === "any") return anything;
  const { numbers, names } = ports;
  const port = "meta l4proto . th dport";
  return [
    ...(numbers === undefined ? [] : [{ family: undefined, text: `${port} @${numbers.name}` }]),
    // A name has its number in the pod that is connected to, whose address is the destination in both directions.
    ...(names === undefined
      ? []
      : ([4, 6] as const).map((family) => ({
          family,
          text: `${addressField(family, "daddr")} . ${port} @${liveSetName(names, family)}`,
        }))),
  ];
}

/** Every peer with every port, except for pairs of different families, which no packet satisfies. */
function ruleTexts({ peers, ports }: RuleMatch, direction: Direction): readonly string[] {
  const portTexts = portConditions(ports);
  return peerConditions(peers, direction).flatMap((peer) =>
    portTexts
      .filter(({ family }) => family === undefined || peer.family === undefined || family === peer.family)
      .map((port) => [peer.text, port.text, "accept"].filter((text) => text !== "").join(" ")),
  );
}

/** The chain of the rules that a policy has for a direction, and the sets that it refers to. */
export function allowedTraffic(direction: Direction, rules: readonly RuleMatch[]): AllowedTraffic {
  const texts = new Set(rules.flatMap((rule) => ruleTexts(rule, direction)));
  if (texts.has("accept")) return { chain: undefined, isEverything: true, fixedSets: [], liveSets: [] };
  const lines = [...texts];
  return {
    chain: lines.length === 0 ? undefined : { name: contentName("policy", lines), rules: lines },
    isEverything: false,
    fixedSets: rules.flatMap(({ peers, ports }) => [
      ...(peers.kind === "some" ? peers.blocks.map(({ set }) => set) : []),
      ...(ports.kind === "some" && ports.numbers !== undefined ? [ports.numbers] : []),
    ]),
    liveSets: rules.flatMap(({ peers, ports }) => [
      ...(peers.kind === "some" && peers.pods !== undefined ? [peers.pods] : []),
      ...(ports.kind === "some" && ports.names !== undefined ? [ports.names] : []),
    ]),
  };
}
