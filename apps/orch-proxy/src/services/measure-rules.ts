import type { Metrics } from "@orchernetes/component";
import type { Frontend, NftTable, ServiceRules } from "@orchernetes/proxy";

/** Adds the metrics that are counted when they are read: they cost nothing at a synchronization. */
export function measureRules(metrics: Metrics, rules: ServiceRules, mode: string): void {
  metrics.gauge({
    name: "orchproxy_sync_proxy_rules_iptables_total",
    help: "Rules and elements of maps in the packet filter.",
    labelNames: ["table"],
    collect: (gauge) => {
      if (mode !== "nftables") return;
      for (const [table, count] of Object.entries(ruleCounts(rules.table()))) gauge.set(count, [table]);
    },
  });
  metrics.gauge({
    name: "orchproxy_sync_proxy_rules_no_local_endpoints_total",
    help: "Ports of services with a Local traffic policy that have endpoints, but none on this node.",
    labelNames: ["traffic_policy"],
    collect: (gauge) => {
      // A port may have many external addresses, in two families.
      const ports = { internal: new Set<string>(), external: new Set<string>() };
      for (const frontend of rules.frontends()) {
        const policy = policyWithoutLocal(frontend);
        if (policy !== undefined) ports[policy].add(frontend.servicePort);
      }
      gauge.set(ports.internal.size, ["internal"]);
      gauge.set(ports.external.size, ["external"]);
    },
  });
  metrics.gauge({
    name: "orchproxy_limited_services",
    help: "Services that claim addresses that they may not have, or that exceed a limit; the log names them.",
    collect: (gauge) => gauge.set(rules.problems().size),
  });
}

/** Chains and maps that refuse or drop what was not rewritten; all others rewrite. */
const isFilter = (name: string): boolean => /^(filter-.*|unserved|refuse|.*-unserved)$/.test(name);

/** Rules and elements by what they do, under the names of the tables that the original has for that. */
function ruleCounts({ chains, sets }: NftTable): Readonly<Record<"filter" | "nat", number>> {
  const counts = { filter: 0, nat: 0 };
  for (const { name, rules } of chains) counts[isFilter(name) ? "filter" : "nat"] += rules.length;
  for (const { name, elements } of sets) counts[isFilter(name) ? "filter" : "nat"] += elements.size;
  return counts;
}

/** The policy because of which a frontend drops traffic although the service has endpoints. */
function policyWithoutLocal({ origin, served, otherwise }: Frontend): "internal" | "external" | undefined {
  if (otherwise !== "drop") return undefined;
  if (origin === "clusterIP") return served === undefined ? "internal" : undefined;
  return served?.traffic === "externalLocal" && served.localEndpoints.length === 0 ? "external" : undefined;
}
