import type { NftTable } from "../nft/table.ts";

/** The first packet of a connection. */
export interface Packet {
  readonly source: string;
  readonly destination: string;
  readonly protocol: string;
  readonly port: number;
  /** Whether the source and the destination are addresses of the node. */
  readonly isFromNode: boolean;
  readonly isToNode: boolean;
}

/** What a table may do with a packet. Where chance decides, all that it may choose from. */
export interface Outcome {
  readonly verdict: "rewritten" | "refused" | "dropped" | "untouched";
  /** Texts such as `10.0.0.1 . 80`. */
  readonly endpoints: ReadonlySet<string>;
  readonly isMasqueraded: boolean;
}

/**
 * Executes the rules of a table of services for a packet, as the kernel would, as far as such tables use the language. Sets that
 * rules add to are empty.
 *
 * @throws Error for a rule that is none of those
 */
export function interpretTable(table: NftTable, packet: Packet): Outcome {
  const run = new Run(table, packet);
  run.chain(packet.isFromNode ? "nat-output" : "nat-prerouting", { isMarked: false });
  if (run.endpoints.size === 0) run.chain("filter-forward", { isMarked: false });
  const verdict = run.endpoints.size > 0 ? "rewritten" : run.verdict;
  const masquerades = [...run.masquerades];
  if (masquerades.length > 1) throw new Error("chance decides whether the source is replaced");
  return { verdict, endpoints: run.endpoints, isMasqueraded: masquerades[0] ?? false };
}

interface Marks {
  isMarked: boolean;
}

/** Thrown to leave all chains: a verdict was reached. */
const done = Symbol("verdict");

class Run {
  readonly endpoints = new Set<string>();
  readonly masquerades = new Set<boolean>();
  verdict: "refused" | "dropped" | "untouched" = "untouched";
  readonly #table: NftTable;
  readonly #packet: Packet;

  constructor(table: NftTable, packet: Packet) {
    this.#table = table;
    this.#packet = packet;
  }

  /** Runs a chain to its end or to a verdict. */
  chain(name: string, marks: Marks): typeof done | undefined {
    const chain = this.#table.chains.find((candidate) => candidate.name === name);
    if (chain === undefined) throw new Error(`no chain "${name}"`);
    for (const rule of chain.rules) {
      const result = this.#rule(rule, marks);
      if (result === "return") return undefined;
      if (result === done) return done;
    }
    return undefined;
  }

  #rule(rule: string, marks: Marks): typeof done | "return" | undefined {
    let rest = rule;
    for (;;) {
      const matched = this.#match(rest);
      if (matched === undefined) break;
      if (!matched.holds) return undefined;
      rest = matched.rest;
    }
    return this.#act(rest, rule, marks);
  }

  /** The first match of a rule; undefined if it begins with something else. */
  #match(rest: string): { readonly holds: boolean; readonly rest: string } | undefined {
    const { source, destination, isFromNode, isToNode } = this.#packet;
    const family = source.includes(":") ? "6" : "4";
    const simple: readonly (readonly [RegExp, (groups: readonly string[]) => boolean])[] = [
      [/^meta nfproto ipv([46]) /, ([version]) => version === family],
      [/^fib daddr type local /, () => isToNode],
      [/^fib saddr type local /, () => isFromNode],
      [/^ct state new /, () => true],
      [/^ct state invalid /, () => false],
      [
        /^ip(6?) saddr (!= )?\{ (.*?) \} /,
        ([v6, not, list = ""]) => sameFamily(v6, family) && isIn(source, list) !== !!not,
      ],
      [
        /^ip(6?) daddr (!= )?([\da-f][\da-f.:/]*) /,
        ([v6, not, one = ""]) => sameFamily(v6, family) && isIn(destination, one) !== !!not,
      ],
      [/^(ip6? daddr \. )?meta l4proto \. th dport \. ip6? saddr @(\S+) /, (g) => this.#isInSet(g)],
      [/^(.*?) numgen random mod 1 offset (\d+) @(\S+) update \S+ \{ .*? \} /, (g) => this.#isLive(g)],
    ];
    for (const [pattern, holds] of simple) {
      const found = pattern.exec(rest);
      if (found !== null) return { holds: holds(found.slice(1)), rest: rest.slice(found[0].length) };
    }
    return undefined;
  }

  #act(rest: string, rule: string, marks: Marks): typeof done | "return" | undefined {
    const [, verdict, target = ""] = /^(goto|jump) (\S+)$/.exec(rest) ?? [];
    if (verdict === "goto") return this.chain(target, marks) ?? "return";
    if (verdict === "jump") return this.chain(target, marks);
    if (rest === "reject" || rest === "drop") {
      this.verdict = rest === "drop" ? "dropped" : "refused";
      return done;
    }
    if (rest.startsWith("meta mark set meta mark or ")) {
      marks.isMarked = true;
      return undefined;
    }
    if (rest.startsWith("delete @")) return undefined;
    const [, address = "", count, offset, kind, map = ""] =
      /^(?:dnat ip6? to )?(ip6? daddr \. )?meta l4proto \. th dport(?: \. numgen random mod (\d+)(?: offset (\d+))?)? (v?map) @(\S+)$/.exec(
        rest,
      ) ?? [];
    if (kind === undefined) throw new Error(`rule not understood: ${rule}`);
    const numbers =
      count === undefined ? [""] : Array.from({ length: Number(count) }, (_, i) => ` . ${i + Number(offset ?? 0)}`);
    const values = numbers.map((number) => this.#elements(map).get(`${this.#key(address)}${number}`));
    const found = values.filter((value) => value !== undefined);
    if (found.length === 0) return undefined;
    if (found.length < values.length) throw new Error(`${rule}: there is nothing for some of the numbers`);
    if (kind === "map") return this.#rewrite(found, marks);
    const results = found.map((value) => this.#act(value, rule, { ...marks }));
    return results[0];
  }

  #rewrite(endpoints: readonly string[], { isMarked }: Marks): typeof done {
    for (const endpoint of endpoints) this.endpoints.add(endpoint);
    this.masquerades.add(isMarked);
    return done;
  }

  #key(address: string): string {
    const { destination, protocol, port } = this.#packet;
    return address === "" ? `${protocol} . ${port}` : `${destination} . ${protocol} . ${port}`;
  }

  #elements(set: string): ReadonlyMap<string, string> {
    const found = this.#table.sets.find(({ name }) => name === set);
    if (found === undefined) throw new Error(`no set "${set}"`);
    return found.elements;
  }

  #isInSet([address = "", set = ""]: readonly string[]): boolean {
    const prefix = `${this.#key(address)} . `;
    return [...this.#elements(set).keys()].some(
      (element) => element.startsWith(prefix) && isIn(this.#packet.source, element.slice(prefix.length)),
    );
  }

  #isLive([key = "", slot = "", set = ""]: readonly string[]): boolean {
    return this.#elements(set).has(`${this.#key(key.startsWith("ip") ? "ip" : "")} . ${slot}`);
  }
}

const sameFamily = (v6: string | undefined, family: string): boolean => (v6 === "6") === (family === "6");

/** Whether an address is in one of several ranges, which are separated by commas. */
const isIn = (address: string, list: string): boolean => list.split(", ").some((range) => isInRange(address, range));

function isInRange(address: string, range: string): boolean {
  const [network = "", bits] = range.split("/");
  if (bits === undefined) return network === address;
  if (address.includes(":") || network.includes(":"))
    return address.includes(":") && address.startsWith(network.replace(/::$/, ":"));
  const number = (text: string) => text.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
  const size = 2 ** (32 - Number(bits));
  return Math.floor(number(address) / size) === Math.floor(number(network) / size);
}
