/**
 * One table of the packet filter nftables, as data. Texts are in the language of `nft`: rules, definitions and elements are
 * written as they are, so whoever builds them must have checked what they consist of.
 *
 * @see https://www.netfilter.org/projects/nftables/manpage.html
 */
export interface NftTable {
  /** `inet` sees packets of IPv4 and IPv6, `bridge` the frames that pass bridges. */
  readonly family: "inet" | "ip" | "ip6" | "bridge";
  /** Unique in the family on the host; no other program may use it. */
  readonly name: string;
  readonly chains: readonly NftChain[];
  readonly sets: readonly NftSet[];
}

/** A list of rules. With a hook it sees packets itself, otherwise a rule of another chain jumps to it. */
export interface NftChain {
  /** Unique in the table. */
  readonly name: string;
  readonly hook?: NftHook;
  /** In order, each without a line break. */
  readonly rules: readonly string[];
}

/** Where in the path of a packet the kernel runs a chain. */
export interface NftHook {
  readonly type: "nat" | "filter" | "route";
  /** Such as `prerouting`, `input`, `forward`, `output` and `postrouting`. */
  readonly hook: string;
  /** Chains of a hook run in ascending order. */
  readonly priority: number;
  /** What happens to a packet that no rule decides on. Default: accept. */
  readonly policy?: "accept" | "drop";
}

/** A set, a map or a verdict map. */
export interface NftSet {
  readonly kind: "set" | "map";
  /** Unique in the table. */
  readonly name: string;
  /** What is between the braces except the elements, such as `type ipv4_addr; flags interval;`. */
  readonly definition: string;
  /**
   * The text of each element with the text of its value, which is empty in a plain set. Elements that rules add (`flags
   * dynamic`) do not belong here: a difference of two tables leaves them alone.
   */
  readonly elements: ReadonlyMap<string, string>;
}
