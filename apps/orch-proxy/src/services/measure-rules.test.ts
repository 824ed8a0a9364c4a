import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createMetrics } from "@orchernetes/component";
import { ServiceRules } from "@orchernetes/proxy";
import { endpointSlice } from "@orchernetes/proxy/testing";
import { service } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { proxyMetrics } from "../metrics.ts";
import { measureRules } from "./measure-rules.ts";

const file = join(import.meta.dirname, "../../../../packages/testkit/facts/metrics.json");
interface MetricFact {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
}

function measured(rules = new ServiceRules({ nodeName: "n1" })): string {
  const metrics = createMetrics();
  proxyMetrics(metrics).syncDuration.observe(1);
  measureRules(metrics, rules, "nftables");
  return metrics.render();
}

test("there is every metric of the original, with its type and labels", () => {
  const { metrics } = JSON.parse(readFileSync(file, "utf8")) as { readonly metrics: readonly MetricFact[] };
  const facts = metrics.filter(({ name }) => name.startsWith("orchproxy_"));
  expect(facts.length).toBeGreaterThan(10);
  const page = measured();
  for (const { name, type, labels } of facts) {
    expect(page, name).toMatch(new RegExp(`^# TYPE ${name} ${type.toLowerCase()}$`, "m"));
    const suffix = type === "Histogram" ? "_count" : "";
    const sample = new RegExp(`^${name}${suffix}${labels.length === 0 ? " " : `\\{${labels[0]}="[^"]+"\\} `}`, "m");
    expect(page, name).toMatch(sample);
  }
});

test("rules are counted by what they do, as the original's tables", () => {
  const count = (page: string, table: string) =>
    Number(new RegExp(`^orchproxy_sync_proxy_rules_iptables_total\\{table="${table}"\\} (\\d+)$`, "m").exec(page)?.[1]);
  const before = measured();
  const rules = new ServiceRules({ nodeName: "n1" });
  const [web, empty] = ["web", "empty"].map((name, i) =>
    service(name)
      .clusterIP(`10.96.0.${i + 1}`)
      .port(80, 8080)
      .build(),
  );
  for (const built of [web, empty]) if (built !== undefined) rules.setService(built);
  if (web !== undefined) rules.setEndpointSlice(endpointSlice(web, ["10.244.0.1"]));
  rules.takeChange();
  const after = measured(rules);
  // The service without endpoints is an element that refuses; the other one has an address, an endpoint, a chain with a rule, and a hairpin.
  expect(count(after, "filter") - count(before, "filter")).toBe(1);
  expect(count(after, "nat") - count(before, "nat")).toBe(4);
});

test("a port whose policy leaves it without endpoints counts once, however many addresses it has", () => {
  const rules = new ServiceRules({ nodeName: "n1" });
  const built = service("web")
    .clusterIP("10.96.0.1")
    .spec({
      type: "NodePort",
      externalTrafficPolicy: "Local",
      internalTrafficPolicy: "Local",
      externalIPs: ["192.0.2.7", "192.0.2.8"],
      ports: [{ port: 80, targetPort: 8080, nodePort: 30_001 }],
    })
    .build();
  rules.setService(built);
  rules.setEndpointSlice(endpointSlice(built, [{ address: "10.244.2.1", node: "n2" }]));
  rules.takeChange();
  const found = [...measured(rules).matchAll(/^orchproxy_sync_proxy_rules_no_local_endpoints_total\{(.*)\} (\d+)$/gm)];
  expect(found.map(([, label, count]) => `${label} ${count}`).sort()).toEqual([
    'traffic_policy="external" 1',
    'traffic_policy="internal" 1',
  ]);
});
