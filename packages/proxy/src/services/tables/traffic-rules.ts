import { assertNever } from "@orchernetes/kernel";
import { addressesOf, type IpFamily, rangesOf } from "../objects/addresses.ts";
import type { DetectLocal, ServiceSettings } from "../objects/settings.ts";

/** Matches and statements that follow from the settings alone. */
export interface TrafficRules {
  readonly families: readonly IpFamily[];
  /** Statement: the source is replaced when the packet leaves. */
  readonly markToMasquerade: string;
  /** Rule for packets that leave: replaces the source of marked ones. */
  readonly masqueradeMarked: readonly string[];
  /** Rules that mark traffic to cluster addresses, as far as its source must be replaced. */
  readonly masqueradeInternal: (family: IpFamily) => readonly string[];
  /** Matches of packets that pods send. None: it cannot be known. */
  readonly fromPods: (family: IpFamily) => readonly string[];
  /** Matches of packets that the node itself sends. */
  readonly fromNode: readonly string[];
  /** Matches of packets to the node's addresses that serve node ports. */
  readonly toNodePorts: (family: IpFamily) => readonly string[];
  /** Matches, one of which a packet must have to be this node's business. An empty match is all packets. */
  readonly incoming: readonly string[];
  /** The same for packets that the host sends. */
  readonly outgoing: readonly string[];
}

const defaultMasqueradeBit = 14;

/**
 * Reads the settings.
 *
 * @throws RangeError for a bit, an interface name or a range that the packet filter would not accept
 */
export function trafficRules(settings: ServiceSettings): TrafficRules {
  const { families = ["IPv4", "IPv6"], masqueradeBit = defaultMasqueradeBit, onlyNode } = settings;
  if (!Number.isInteger(masqueradeBit) || masqueradeBit < 0 || masqueradeBit > 31) {
    throw new RangeError(`invalid masquerade bit ${masqueradeBit}: want a whole number from 0 to 31`);
  }
  const mark = `0x${((1 << masqueradeBit) >>> 0).toString(16)}`;
  const markToMasquerade = `meta mark set meta mark or ${mark}`;
  const pods = podMatches(settings.detectLocal ?? { mode: "None" });
  const interfaces = (onlyNode?.podInterfaces ?? []).map((name) => `iifname "${interfaceName(name)}"`);
  const toNode = onlyNode === undefined ? [] : families.flatMap((family) => toAddresses(family, onlyNode.addresses));
  const host = onlyNode === undefined || onlyNode.hostTraffic;
  return {
    families,
    markToMasquerade,
    masqueradeMarked: [`meta mark and ${mark} == ${mark} meta mark set meta mark xor ${mark} masquerade fully-random`],
    masqueradeInternal: (family) => {
      if (settings.masqueradeAll === true) return [markToMasquerade];
      return pods(family).map(({ other }) => `${other} ${markToMasquerade}`);
    },
    fromPods: (family) => pods(family).map(({ own }) => own),
    fromNode: host ? ["fib saddr type local"] : [],
    toNodePorts: (family) => nodePortMatches(settings, family),
    incoming: onlyNode === undefined ? [""] : [...interfaces, ...toNode],
    outgoing: host ? [""] : toNode,
  };
}

/** A match of the packets that pods send, and of all others. */
interface PodMatch {
  readonly own: string;
  readonly other: string;
}

function podMatches(detect: DetectLocal): (family: IpFamily) => readonly PodMatch[] {
  switch (detect.mode) {
    case "None":
      return () => [];
    case "ClusterCIDR":
    case "NodeCIDR": {
      const invalid = detect.ranges.filter(
        (text) => rangesOf([text], "IPv4").length + rangesOf([text], "IPv6").length === 0,
      );
      if (invalid.length > 0)
        throw new RangeError(`invalid range of pods "${invalid[0]}": want a CIDR such as 10.0.0.0/8`);
      return (family) => {
        const ranges = rangesOf(detect.ranges, family).map(({ text }) => text);
        if (ranges.length === 0) return [];
        const client = family === "IPv4" ? "ip saddr" : "ip6 saddr";
        return [{ own: `${client} { ${ranges.join(", ")} }`, other: `${client} != { ${ranges.join(", ")} }` }];
      };
    }
    case "BridgeInterface":
      return byInterface(interfaceName(detect.name));
    case "InterfaceNamePrefix":
      // A name has at most 15 characters, "*" included: a prefix of 15 is the whole name.
      return byInterface(`${interfaceName(detect.prefix)}*`.slice(0, 15));
    default:
      return assertNever(detect);
  }
}

const byInterface = (pattern: string) => (): readonly PodMatch[] => [
  { own: `iifname "${pattern}"`, other: `iifname != "${pattern}"` },
];

/** The kernel allows more characters, but "*" and quotes would have a meaning in a rule. */
function interfaceName(name: string): string {
  if (!/^[\w.@:-]{1,15}$/.test(name)) {
    throw new RangeError(`invalid network interface "${name}": want 1 to 15 letters, digits and the characters ._@:-`);
  }
  return name;
}

function nodePortMatches({ onlyNode, ...settings }: ServiceSettings, family: IpFamily): readonly string[] {
  const daddr = family === "IPv4" ? "ip daddr" : "ip6 daddr";
  const loopback = family === "IPv4" ? "127.0.0.0/8" : "::1/128";
  // There is no way to answer ::1 through the packet filter: the kernel drops packets from it to other hosts.
  const servesLoopback = family === "IPv4" && (settings.localhostNodePorts ?? true);
  const ranges = rangesOf(settings.nodePortAddresses ?? [], family).map(({ text }) => text);
  const inRanges = ranges.length === 0 ? "" : `${daddr} { ${ranges.join(", ")} } `;
  const notLoopback = servesLoopback ? "" : `${daddr} != ${loopback} `;
  if (onlyNode === undefined) return [`fib daddr type local ${inRanges}${notLoopback}`];
  const own = [
    ...addressesOf(onlyNode.addresses, family),
    ...(onlyNode.hostTraffic && servesLoopback ? [loopback] : []),
  ];
  return own.length === 0 ? [] : [`${daddr} { ${own.join(", ")} } ${inRanges}`];
}

function toAddresses(family: IpFamily, texts: readonly string[]): readonly string[] {
  const addresses = addressesOf(texts, family);
  if (addresses.length === 0) return [];
  return [`${family === "IPv4" ? "ip daddr" : "ip6 daddr"} { ${addresses.join(", ")} }`];
}
