import type { Metrics } from "@orchernetes/component";
import type { Frontend, ServiceRules } from "@orchernetes/proxy";

/** Adds the metrics that are counted when they are read: they cost nothing at a synchronization. */
export function measureRules(metrics: Metrics, rules: ServiceRules, mode: string): void {
  metrics.gauge({
    name: "orchproxy_sync_proxy_rules_iptables_total",
    help: "Rules and elements of maps in the packet filter.",
    labelNames: ["table"],
    collect: (gauge) => {
      if (mode !== "nftables") return;
      const { name, chains, sets } = rules.table();
      const count = chains.reduce((sum, chain) => sum + chain.rules.length, 0);
      gauge.set(
        sets.reduce((sum, set) => sum + set.elements.size, count),
        [name],
      );
    },
  });
  metrics.gauge({
    name: "orchproxy_sync_proxy_rules_no_local_endpoints_total",
    help: "Ports of services with a Local traffic policy that have endpoints, but none on this node.",
    labelNames: ["traffic_policy"],
    collect: (gauge) => {
      const counts = { internal: 0, external: 0 };
      for (const frontend of rules.frontends()) {
        const policy = policyWithoutLocal(frontend);
        if (policy !== undefined) counts[policy]++;
      }
      gauge.set(counts.internal, ["internal"]);
      gauge.set(counts.external, ["external"]);
    },
  });
  metrics.gauge({
    name: "orchproxy_limited_services",
    help: "Services that name addresses they may not have, or more than one service may have; the log says which.",
    collect: (gauge) => gauge.set(rules.problems().size),
  });
}

/** The policy because of which a frontend drops traffic although the service has endpoints. */
function policyWithoutLocal({ origin, served, otherwise }: Frontend): "internal" | "external" | undefined {
  if (otherwise !== "drop") return undefined;
  if (origin === "clusterIP") return served === undefined ? "internal" : undefined;
  return served?.traffic === "externalLocal" && served.localEndpoints.length === 0 ? "external" : undefined;
}
