import { assertNever } from "@orchernetes/kernel";
import type { NftSet } from "../../nft/table.ts";
import type { Frontend } from "../frontends/frontends.ts";
import type { IpFamily } from "../objects/addresses.ts";
import type { Protocol } from "../objects/service-ports.ts";

/**
 * Frontends that one expression tells apart: those with an address, or the node ports, of one family. Each scope has its own
 * maps, whose keys are the expression.
 */
export interface Scope {
  /** Beginning of the names of its sets and chains. */
  readonly id: "v4" | "v6" | "v4-ports" | "v6-ports";
  readonly family: IpFamily;
  readonly isNodePort: boolean;
  /** The expression of a packet's frontend. */
  readonly key: string;
  /** The expression of a packet's client. */
  readonly client: "ip saddr" | "ip6 saddr";
  readonly dnat: "dnat ip to" | "dnat ip6 to";
}

/**
 * Endpoints of a scope's frontends with one protocol: those for all of the traffic, or the node's own for traffic from outside.
 *
 * Each protocol has maps of its own, because nft takes the type of a map's value for an expression: a map to `tcp dport` is for
 * TCP only, and with `th dport` nft 1.0.6 rejects rules that are added later than the map.
 */
export interface Pool {
  /** Beginning of the names of its sets and chains. */
  readonly id: string;
  readonly scope: Scope;
  readonly protocol: Protocol;
}

function scopeOf(family: IpFamily, isNodePort: boolean): Scope {
  const ip = family === "IPv4" ? "ip" : "ip6";
  const version = family === "IPv4" ? "v4" : "v6";
  return {
    id: isNodePort ? `${version}-ports` : version,
    family,
    isNodePort,
    key: isNodePort ? "meta l4proto . th dport" : `${ip} daddr . meta l4proto . th dport`,
    client: `${ip} saddr`,
    dnat: `dnat ${ip} to`,
  };
}

const scopes = {
  IPv4: { address: scopeOf("IPv4", false), nodePort: scopeOf("IPv4", true) },
  IPv6: { address: scopeOf("IPv6", false), nodePort: scopeOf("IPv6", true) },
} as const;

/** The scopes of a family. */
export const scopesOf = (family: IpFamily): readonly Scope[] => [scopes[family].address, scopes[family].nodePort];

/** The scope that a frontend is in. */
export const scopeOfFrontend = ({ family, address }: Frontend): Scope =>
  address === undefined ? scopes[family].nodePort : scopes[family].address;

/** The text of a frontend as an element: unique in its scope. */
export const frontendKey = ({ address, protocol, port }: Frontend): string =>
  address === undefined ? `${protocol} . ${port}` : `${address} . ${protocol} . ${port}`;

/** The pools of a scope. */
export function poolsOf(scope: Scope, protocol: Protocol): { readonly all: Pool; readonly local: Pool } {
  const id = `${scope.id}-${protocol}`;
  return { all: { id, scope, protocol }, local: { id: `${id}-local`, scope, protocol } };
}

/** The sets and maps that a scope always has, all empty. The functions that return their names say what they are for. */
export function setsOf(scope: Scope): readonly Omit<NftSet, "elements">[] {
  const { id, key, client } = scope;
  const verdicts = (name: string) => map(name, `${key} : verdict`);
  const shared = [verdicts(`${id}-services`), verdicts(`${id}-unserved`), verdicts(`${id}-local-services`)];
  if (scope.isNodePort) return shared;
  const ranges = {
    kind: "set",
    name: sourceRanges(scope),
    definition: `typeof ${key} . ${client}; flags interval;`,
  } as const;
  const ip = scope.family === "IPv4" ? "ip" : "ip6";
  const hairpins = {
    kind: "set",
    name: hairpinSet(scope.family),
    definition: `typeof ${ip} saddr . ${ip} daddr;`,
  } as const;
  return [...shared, verdicts(`${id}-ranged-services`), ranges, hairpins];
}

const map = (name: string, types: string): Omit<NftSet, "elements"> => ({
  kind: "map",
  name,
  definition: `typeof ${types};`,
});

/** Verdict map: the chain of a frontend. */
export const servicesMap = ({ id }: Scope): string => `${id}-services`;
/** Verdict map: what happens to a packet to a frontend that has kept its destination. */
export const unservedMap = ({ id }: Scope): string => `${id}-unserved`;
/** Verdict map: the chain of a frontend's local endpoints. */
export const localServicesMap = ({ id }: Scope): string => `${id}-local-services`;
/** Verdict map: the chain of a frontend whose clients must be in ranges. */
export const rangedServicesMap = ({ id }: Scope): string => `${id}-ranged-services`;
/** Set: frontends with the ranges of their clients. */
export const sourceRanges = ({ id }: Scope): string => `${id}-source-ranges`;
/** Set: pairs of equal addresses, of endpoints that may connect to themselves through a service. */
export const hairpinSet = (family: IpFamily): string => (family === "IPv4" ? "v4-hairpins" : "v6-hairpins");

/** What a map of endpoints is called by, and its name in the pool. */
const poolSetNames = {
  /** Map: the endpoint of a frontend and a number below the count of its endpoints. */
  endpoints: "endpoints",
  /** Verdict map: the chain of the slot that has a number below the count of the frontend's endpoints. */
  stickyPicks: "sticky-picks",
  /** Map: the endpoint in a slot of a frontend with affinity. */
  stickyEndpoints: "sticky-endpoints",
  /** Set: the slots of frontends with affinity that an endpoint is in. */
  stickyLive: "sticky-live",
} as const;

/** Whether a map says in which slots the endpoints of frontends with affinity are. */
export const isSlotMap = (name: string): boolean => name.endsWith(`-${poolSetNames.stickyEndpoints}`);

/** Name of a set or map of a pool. */
export const poolSetName = ({ id }: Pool, kind: keyof typeof poolSetNames): string => `${id}-${poolSetNames[kind]}`;

/** A set or map of a pool, empty. */
export function poolSet(pool: Pool, kind: keyof typeof poolSetNames): Omit<NftSet, "elements"> {
  const { scope, protocol } = pool;
  const ip = scope.family === "IPv4" ? "ip" : "ip6";
  const numbered = `${scope.key} . numgen random mod 2`;
  const name = poolSetName(pool, kind);
  switch (kind) {
    case "endpoints":
    case "stickyEndpoints":
      return map(name, `${numbered} : ${ip} daddr . ${protocol} dport`);
    case "stickyPicks":
      return map(name, `${numbered} : verdict`);
    case "stickyLive":
      return { kind: "set", name, definition: `typeof ${numbered};` };
    default:
      return assertNever(kind);
  }
}
