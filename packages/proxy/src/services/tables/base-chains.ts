import type { NftChain, NftHook } from "../../nft/table.ts";
import {
  hairpinSet,
  rangedServicesMap,
  type Scope,
  scopesOf,
  servicesMap,
  sourceRanges,
  unservedMap,
} from "./scopes.ts";
import type { TrafficRules } from "./traffic-rules.ts";

/** Chain for load balancers' addresses with source ranges. */
export const rangedChain = ({ id }: Scope): string => `${id}-ranged`;

/** Chain that answers with an ICMP error. */
export const refuseChain = "refuse";

/** The priorities of the packet filter's own names: `dstnat`, `filter` and `srcnat`. */
const dstnat = -100;
const filter = 0;
const srcnat = 100;

/**
 * The chains that every table has. The kernel runs chains of type `nat` for the first packet of a connection only, and rewrites
 * the others like it.
 *
 * Traffic that no endpoint takes keeps its destination, so that a filter behind the rewriting finds it: first the rewriting
 * decides, by source and policy, and what is left to refuse or drop is told by the frontend alone.
 */
export function baseChains(rules: TrafficRules): readonly NftChain[] {
  const scopes = rules.families.flatMap(scopesOf);
  const nat = (hook: string, priority: number): NftHook => ({ type: "nat", hook, priority });
  const filterHook = (hook: string): NftHook => ({ type: "filter", hook, priority: filter });
  const incoming = (target: string) => rules.incoming.map((match) => join(match, target));
  const outgoing = (target: string) => rules.outgoing.map((match) => join(match, target));
  const unserved = "ct state new jump unserved";
  return [
    { name: refuseChain, rules: ["reject"] },
    ...scopes.filter(({ isNodePort }) => !isNodePort).map(rangedRules),
    { name: "services", rules: scopes.flatMap((scope) => lookUp(rules, scope, servicesMap(scope))) },
    { name: "unserved", rules: scopes.flatMap((scope) => lookUp(rules, scope, unservedMap(scope))) },
    { name: "nat-prerouting", hook: nat("prerouting", dstnat), rules: incoming("jump services") },
    { name: "nat-output", hook: nat("output", dstnat), rules: outgoing("jump services") },
    {
      name: "nat-postrouting",
      hook: nat("postrouting", srcnat),
      rules: [...rules.masqueradeMarked, ...rules.families.map(masqueradeHairpins)],
    },
    { name: "filter-input", hook: filterHook("input"), rules: incoming(unserved) },
    {
      name: "filter-forward",
      hook: filterHook("forward"),
      // A packet that the kernel can assign to no connection would leave with the endpoint's address instead of the service's.
      rules: [...incoming("ct state invalid drop"), ...incoming(unserved)],
    },
    { name: "filter-output", hook: filterHook("output"), rules: outgoing(unserved) },
  ];
}

const join = (match: string, verdict: string): string => (match === "" ? verdict : `${match} ${verdict}`);

function lookUp(rules: TrafficRules, scope: Scope, map: string): readonly string[] {
  const { isNodePort, key, family } = scope;
  if (!isNodePort) return [`${key} vmap @${map}`];
  const isFamily = `meta nfproto ${family === "IPv4" ? "ipv4" : "ipv6"}`;
  return rules.toNodePorts(family).map((match) => `${isFamily} ${match}${key} vmap @${map}`);
}

const rangedRules = (scope: Scope): NftChain => ({
  name: rangedChain(scope),
  rules: [`${scope.key} . ${scope.client} @${sourceRanges(scope)} ${scope.key} vmap @${rangedServicesMap(scope)}`],
});

/** An endpoint that reaches itself through a service would answer to itself past the rewriting. */
const masqueradeHairpins = (family: "IPv4" | "IPv6"): string => {
  const ip = family === "IPv4" ? "ip" : "ip6";
  return `ct status dnat ${ip} saddr . ${ip} daddr @${hairpinSet(family)} masquerade fully-random`;
};
