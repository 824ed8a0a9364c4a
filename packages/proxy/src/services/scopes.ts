import type { NftSet } from "../nft/table.ts";
import type { IpFamily } from "./addresses.ts";
import type { Frontend } from "./frontends.ts";

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
  /** The type of an endpoint: address and port. */
  readonly endpoint: string;
}

/** Endpoints of all frontends of a scope: those for all of the traffic, or the node's own for traffic from outside. */
export interface Pool {
  /** Beginning of the names of its sets and chains. */
  readonly id: string;
  readonly scope: Scope;
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
    // "th dport" here makes nft 1.0.6 reject rules that are added later; all protocols have the same type of port.
    endpoint: `${ip} daddr . tcp dport`,
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

const pools = new Map(
  (["IPv4", "IPv6"] as const)
    .flatMap(scopesOf)
    .map((scope) => [scope, { all: { id: scope.id, scope }, local: { id: `${scope.id}-local`, scope } }]),
);

/** The pools of a scope. */
export function poolsOf(scope: Scope): { readonly all: Pool; readonly local: Pool } {
  const found = pools.get(scope);
  if (found === undefined) throw new RangeError(`unknown scope "${scope.id}"`);
  return found;
}

/** The sets and maps of a scope, all empty. What they are for is said where their names are made. */
export function setsOf(scope: Scope): readonly Omit<NftSet, "elements">[] {
  const { id, key, client } = scope;
  const verdicts = (name: string) => map(name, `${key} : verdict`);
  const { all, local } = poolsOf(scope);
  const shared = [verdicts(`${id}-services`), verdicts(`${id}-unserved`), verdicts(`${id}-local-services`)];
  const ofPools = [all, local].flatMap(poolSets);
  if (scope.isNodePort) return [...shared, ...ofPools];
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
  return [...shared, ...ofPools, verdicts(`${id}-ranged-services`), ranges, hairpins];
}

function poolSets(pool: Pool): readonly Omit<NftSet, "elements">[] {
  const { key, endpoint } = pool.scope;
  const numbered = `${key} . numgen random mod 2`;
  return [
    map(endpointMap(pool), `${numbered} : ${endpoint}`),
    map(stickyPicks(pool), `${numbered} : verdict`),
    map(stickyEndpoints(pool), `${numbered} : ${endpoint}`),
    { kind: "set", name: stickyLive(pool), definition: `typeof ${numbered};` },
  ];
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
/** Map: the endpoint of a frontend and a number below the count of its endpoints. */
export const endpointMap = ({ id }: Pool): string => `${id}-endpoints`;
/** Verdict map: the chain of the slot that has a number below the count of the frontend's endpoints. */
export const stickyPicks = ({ id }: Pool): string => `${id}-sticky-picks`;
/** Map: the endpoint in a slot of a frontend with affinity. */
export const stickyEndpoints = ({ id }: Pool): string => `${id}-sticky-endpoints`;
/** Set: the slots of frontends with affinity that an endpoint is in. */
export const stickyLive = ({ id }: Pool): string => `${id}-sticky-live`;
