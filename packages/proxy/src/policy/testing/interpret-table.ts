import { parseIp } from "@orchernetes/apimachinery";
import type { NftChain, NftSet, NftTable } from "../../nft/table.ts";
import { readAddress } from "../values/addresses.ts";
import type { Connection } from "./reference-model.ts";

type Fields = Readonly<Record<string, string>>;
type Verdict = "accept" | "drop" | "return";

/** The statements that tables of policies consist of; a rule is any number of matches and a verdict. */
const matchPattern =
  /^((?:ip6? [sd]addr|meta l4proto|th dport|iifname)(?: \. (?:ip6? [sd]addr|meta l4proto|th dport))*) (vmap )?@(\S+) ?/;
/** Conditions that the first packet of a TCP, UDP or SCTP connection never satisfies. */
const neverPattern = /^(ct state established,related|meta nfproto ipv6 icmpv6 type \{[^}]*\} ip6 hoplimit 255) accept$/;

/**
 * Whether a table lets the first packet of a connection be forwarded: an interpreter of the small part of the language of
 * nftables that tables of policies use.
 *
 * @throws Error for a rule that it does not know, a set that does not exist, or a field that is not in the packet
 */
export function forwards(table: NftTable, connection: Connection): boolean {
  const interpreter = new Interpreter(table, fieldsOf(connection));
  return table.chains
    .filter(({ hook }) => hook?.type === "filter" && hook.hook === "forward")
    .sort((a, b) => (a.hook?.priority ?? 0) - (b.hook?.priority ?? 0))
    .every((chain) => interpreter.run(chain) !== "drop");
}

function fieldsOf({ from, to, protocol, port }: Connection): Fields {
  const source = readAddress(from);
  const target = readAddress(to);
  if (source === undefined || source.family !== target?.family) throw new Error(`Cannot connect ${from} to ${to}`);
  const ip = source.family === 4 ? "ip" : "ip6";
  return {
    [`${ip} saddr`]: source.text,
    [`${ip} daddr`]: target.text,
    "meta l4proto": protocol.toLowerCase(),
    "th dport": String(port),
  };
}

class Interpreter {
  readonly #chains: ReadonlyMap<string, NftChain>;
  readonly #sets: ReadonlyMap<string, NftSet>;
  readonly #fields: Fields;

  constructor({ chains, sets }: NftTable, fields: Fields) {
    this.#chains = new Map(chains.map((chain) => [chain.name, chain]));
    this.#sets = new Map(sets.map((set) => [set.name, set]));
    this.#fields = fields;
  }

  run({ rules }: NftChain): Verdict {
    for (const rule of rules) {
      const verdict = this.#rule(rule);
      if (verdict !== "return") return verdict;
    }
    return "return";
  }

  #rule(rule: string): Verdict {
    if (neverPattern.test(rule)) return "return";
    let rest = rule;
    for (let found = matchPattern.exec(rest); found !== null; found = matchPattern.exec(rest)) {
      const [whole, fields = "", vmap, name = ""] = found;
      rest = rest.slice(whole.length);
      const value = this.#lookUp(fields, name);
      if (value === undefined) return "return";
      if (vmap !== undefined) rest = value;
    }
    return this.#verdict(rest, rule);
  }

  #verdict(text: string, rule: string): Verdict {
    if (text === "accept" || text === "drop") return text;
    const chain = this.#chains.get(text.replace(/^jump /, ""));
    if (chain === undefined) throw new Error(`Cannot interpret "${rule}"`);
    return this.run(chain);
  }

  /** The value of the set's element that the packet's fields are in; undefined if there is none. */
  #lookUp(fields: string, name: string): string | undefined {
    const set = this.#sets.get(name);
    if (set === undefined) throw new Error(`There is no set ${name}`);
    const values = fields.split(" . ").map((field) => this.#fields[field]);
    if (values.includes(undefined)) return undefined;
    if (!set.definition.includes("flags interval")) return set.elements.get(values.join(" . "));
    for (const [element, value] of set.elements) {
      const parts = element.split(" . ");
      if (parts.length === values.length && parts.every((part, i) => isWithin(part, values[i] ?? ""))) return value;
    }
    return undefined;
  }
}

function isWithin(range: string, value: string): boolean {
  const [start = "", end = start] = range.split("-");
  return ordered(start) <= ordered(value) && ordered(value) <= ordered(end);
}

/** A text of the same length for every value of a type, in the order of the values. */
function ordered(text: string): string {
  const bytes = parseIp(text);
  if (bytes !== undefined) return bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return text.padStart(5, "0");
}
