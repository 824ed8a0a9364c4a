import type { core, networking } from "@orchernetes/api";
import { expect, test } from "vitest";
import { fullBatch, renderDifference } from "../nft/batch.ts";
import { CurrentPolicyTable } from "./testing/current-policy-table.ts";
import { forwards } from "./testing/interpret-table.ts";

const namespace = "demo";

function pod(
  name: string,
  ip: string,
  more: Partial<core.Pod["metadata"]> & { readonly node?: string } = {},
): core.Pod {
  const { node = "n1", ...metadata } = more;
  return {
    metadata: { name, namespace, labels: { app: name }, ...metadata },
    spec: { nodeName: node, containers: [] },
    status: { phase: "Running", podIPs: [{ ip }] },
  };
}

function policy(name: string, spec: networking.NetworkPolicySpec): networking.NetworkPolicy {
  return { metadata: { name, namespace }, spec, status: {} };
}

function tableOf(pods: readonly core.Pod[], policies: readonly networking.NetworkPolicy[]): CurrentPolicyTable {
  const table = new CurrentPolicyTable({ nodeName: "n1", tableName: "policy" });
  table.setNamespace(namespace, { name: namespace });
  for (const item of pods) table.setPod(`${namespace}/${item.metadata.name}`, item);
  for (const item of policies) table.setPolicy(`${namespace}/${item.metadata.name}`, item);
  return table;
}

const denyAll = policy("deny", { podSelector: {} });
const fromClients: networking.NetworkPolicySpec = {
  podSelector: { matchLabels: { app: "web" } },
  ingress: [{ from: [{ podSelector: { matchLabels: { app: "client" } } }], ports: [{ port: 80 }] }],
};
const web = pod("web", "10.0.0.2");
const connection = { from: "10.0.0.9", to: "10.0.0.2", protocol: "TCP", port: 80 } as const;

test("without policies there is nothing but the chains of the hooks", () => {
  const { chains, sets } = tableOf([web], []).table();
  expect(chains.map(({ name }) => name)).toEqual(["egress", "ingress"]);
  expect(sets.map(({ elements }) => elements.size)).toEqual([0, 0, 0, 0, 0, 0, 0]);
});

test("the batch of a policy that isolates a pod and lets clients in", () => {
  const table = tableOf(
    [web, pod("client", "10.0.0.9"), pod("client2", "fd00::9", { labels: { app: "client" } })],
    [policy("web", fromClients)],
  );
  const batch = fullBatch(table.table()).replaceAll(/[0-9a-f]{32}/g, "HASH");
  expect(batch.split("\n").slice(3)).toMatchInlineSnapshot(`
    [
      "add set inet policy closed-links { type ifname; }",
      "add map inet policy egress4 { type ipv4_addr : verdict; }",
      "add map inet policy ingress4 { type ipv4_addr : verdict; }",
      "add set inet policy own4 { type ipv4_addr . ipv4_addr; }",
      "add map inet policy egress6 { type ipv6_addr : verdict; }",
      "add map inet policy ingress6 { type ipv6_addr : verdict; }",
      "add set inet policy own6 { type ipv6_addr . ipv6_addr; }",
      "add set inet policy peers4-HASH { type ipv4_addr; }",
      "add set inet policy peers6-HASH { type ipv6_addr; }",
      "add set inet policy ports-HASH { type inet_proto . inet_service; }",
      "add chain inet policy egress { type filter hook forward priority 0; policy accept; }",
      "add chain inet policy ingress { type filter hook forward priority 1; policy accept; }",
      "add chain inet policy pods-HASH",
      "add chain inet policy policy-HASH",
      "add element inet policy ingress4 { 10.0.0.2 : jump pods-HASH }",
      "add element inet policy own4 { 10.0.0.2 . 10.0.0.2 }",
      "add element inet policy peers4-HASH { 10.0.0.9 }",
      "add element inet policy peers6-HASH { fd00:0:0:0:0:0:0:9 }",
      "add element inet policy ports-HASH { tcp . 80 }",
      "add rule inet policy egress ct state established,related accept",
      "add rule inet policy egress meta nfproto ipv6 icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } ip6 hoplimit 255 accept",
      "add rule inet policy egress iifname @closed-links ip6 saddr fe80::/10 drop",
      "add rule inet policy egress iifname @closed-links ip6 daddr fe80::/10 drop",
      "add rule inet policy egress ip saddr . ip daddr @own4 accept",
      "add rule inet policy egress ip6 saddr . ip6 daddr @own6 accept",
      "add rule inet policy egress ip saddr vmap @egress4",
      "add rule inet policy egress ip6 saddr vmap @egress6",
      "add rule inet policy ingress ct state established,related accept",
      "add rule inet policy ingress meta nfproto ipv6 icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } ip6 hoplimit 255 accept",
      "add rule inet policy ingress ip saddr . ip daddr @own4 accept",
      "add rule inet policy ingress ip6 saddr . ip6 daddr @own6 accept",
      "add rule inet policy ingress ip daddr vmap @ingress4",
      "add rule inet policy ingress ip6 daddr vmap @ingress6",
      "add rule inet policy pods-HASH jump policy-HASH",
      "add rule inet policy pods-HASH drop",
      "add rule inet policy policy-HASH ip saddr @peers4-HASH meta l4proto . th dport @ports-HASH accept",
      "add rule inet policy policy-HASH ip6 saddr @peers6-HASH meta l4proto . th dport @ports-HASH accept",
      "",
    ]
  `);
});

test("only pods of the node are isolated by its table", () => {
  const elsewhere = pod("other", "10.0.1.2", { node: "n2" });
  const table = tableOf([web, elsewhere], [denyAll]).table();
  expect(forwards(table, connection)).toBe(false);
  expect(forwards(table, { ...connection, to: "10.0.1.2" })).toBe(true);
});

const changeOf = (table: CurrentPolicyTable): string => renderDifference(table.difference());

test("a pod more is one element more", () => {
  const table = tableOf([web], [policy("web", fromClients)]);
  table.difference();
  table.setPod("demo/client", pod("client", "10.0.0.9"));
  expect(changeOf(table)).toMatch(/^add element inet policy peers4-[0-9a-f]{32} \{ 10\.0\.0\.9 \}\n$/);
  const ready = { ...pod("client", "10.0.0.9"), status: { phase: "Running", podIPs: [{ ip: "10.0.0.9" }] } } as const;
  table.setPod("demo/client", ready);
  expect(changeOf(table)).toBe("");
});

test("policies with the same rules share chains and sets, and the last one takes them along", () => {
  const table = tableOf([web, pod("web2", "10.0.0.3", { labels: { app: "web" } })], [policy("a", fromClients)]);
  table.difference();
  table.setPolicy("demo/b", policy("b", fromClients));
  expect(changeOf(table)).toBe("");
  table.setPolicy("demo/a", undefined);
  expect(changeOf(table)).toBe("");
  table.setPolicy("demo/b", undefined);
  expect(table.table().chains.length).toBe(2);
  expect(table.table().sets.every(({ elements }) => elements.size === 0)).toBe(true);
});

test("a suspended policy isolates and allows nothing until it changes", () => {
  const table = tableOf([web, pod("client", "10.0.0.9")], [policy("web", fromClients)]);
  expect(forwards(table.table(), connection)).toBe(true);
  table.suspend(["demo/web"]);
  expect(forwards(table.table(), connection)).toBe(false);
  // Something else than its specification.
  const same = policy("web", structuredClone(fromClients));
  const labelled = { ...same, metadata: { ...same.metadata, labels: { a: "b" } } };
  expect(table.setPolicy("demo/web", labelled)).toEqual([]);
  expect([...table.suspended]).toEqual(["demo/web"]);
  expect(forwards(table.table(), connection)).toBe(false);
  table.setPolicy("demo/web", policy("web", { ...fromClients, policyTypes: ["Ingress"] }));
  expect([...table.suspended]).toEqual([]);
  expect(forwards(table.table(), connection)).toBe(true);
});

test("link-local addresses are closed on a pod's bridge while a pod is isolated", () => {
  const table = new CurrentPolicyTable({ nodeName: "n1", tableName: "policy", bridges: ["br-1"] });
  const closed = () => [
    ...(table
      .table()
      .sets.find(({ name }) => name === "closed-links")
      ?.elements.keys() ?? []),
  ];
  table.setPod("demo/web", web);
  expect(closed()).toEqual([]);
  table.setPolicy("demo/deny", denyAll);
  expect(closed()).toEqual(['"br-1"']);
  for (const name of ['x"; flush ruleset; "', "br*", ""])
    expect(() => new CurrentPolicyTable({ nodeName: "n1", tableName: "policy", bridges: [name] })).toThrow(RangeError);
});

test("an address belongs to the pod that has it now", () => {
  const table = tableOf([web], [policy("web", fromClients)]);
  expect(forwards(table.table(), connection)).toBe(false);
  // The deletion of the pod that had the address has not been seen yet.
  const successor = pod("new", "10.0.0.2", { creationTimestamp: "2024-01-01T00:00:01Z" });
  table.setPod("demo/new", successor);
  expect(forwards(table.table(), connection)).toBe(true);
  table.setPod("demo/web", undefined);
  expect(forwards(table.table(), connection)).toBe(true);
  table.setPod("demo/web", web);
  table.setPod("demo/new", {
    ...successor,
    metadata: { ...successor.metadata, deletionTimestamp: "2024-01-01T00:00:02Z" },
  });
  expect(forwards(table.table(), connection)).toBe(false);
});

test("a pod of another node takes no address away from a pod of this one", () => {
  const table = tableOf([web, pod("other", "10.0.0.3")], [policy("web", fromClients)]);
  table.difference();
  // Newer, but it is on another node, which can report any address.
  const thief = pod("thief", "10.0.0.2", { node: "n2", creationTimestamp: "2030-01-01T00:00:00Z" });
  expect(table.setPod("demo/thief", thief)).toEqual([{ address: "10.0.0.2", owner: "demo/web" }]);
  expect(table.contestedAddresses).toBe(1);
  expect(changeOf(table)).toBe("");
  expect(forwards(table.table(), connection)).toBe(false);
  // Neither if it was there first.
  const late = tableOf([thief, web], [policy("web", fromClients)]);
  expect(forwards(late.table(), connection)).toBe(false);
  // Another one more is not reported again.
  expect(table.setPod("demo/thief2", { ...thief, metadata: { ...thief.metadata, name: "thief2" } })).toEqual([]);
  table.setPod("demo/thief", undefined);
  table.setPod("demo/thief2", undefined);
  expect(table.contestedAddresses).toBe(0);
});

test("a peer's address stays with the node that reported it first, until its pod is deleted", () => {
  const client = pod("client", "10.0.0.9", { node: "n2" });
  const thief = pod("thief", "10.0.0.9", { node: "n3", creationTimestamp: "2030-01-01T00:00:00Z" });
  const table = tableOf([web, client, thief], [policy("web", fromClients)]);
  expect(forwards(table.table(), connection)).toBe(true);
  // A change of the pod does not cost its node the address.
  table.setPod("demo/client", { ...client, metadata: { ...client.metadata, labels: { app: "client", more: "x" } } });
  expect(forwards(table.table(), connection)).toBe(true);
  const leaving = { ...client.metadata, deletionTimestamp: "2030-01-01T00:00:01Z" };
  table.setPod("demo/client", { ...client, metadata: leaving });
  expect(forwards(table.table(), connection)).toBe(false);
  expect(table.contestedAddresses).toBe(0);
});

test("an address that very many pods report costs each of them little", () => {
  const table = tableOf([web], [policy("web", fromClients)]);
  const count = 20_000;
  const startMs = performance.now();
  for (let i = 0; i < count; i++) table.setPod(`demo/p${i}`, pod(`p${i}`, "10.0.0.2", { node: "n2" }));
  for (let i = 0; i < count; i++) table.setPod(`demo/p${i}`, undefined);
  expect(performance.now() - startMs).toBeLessThan(10_000);
  expect(table.contestedAddresses).toBe(0);
  expect(forwards(table.table(), connection)).toBe(false);
});

test("replies and a pod's connections to itself are not a matter of policies", () => {
  const table = tableOf([web], [policy("deny", { podSelector: {}, policyTypes: ["Ingress", "Egress"] })]).table();
  expect(forwards(table, { ...connection, from: web.status?.podIPs?.[0]?.ip ?? "" })).toBe(true);
  for (const chain of table.chains.filter(({ hook }) => hook !== undefined))
    expect(chain.rules[0]).toBe("ct state established,related accept");
});

test("no text of a user gets into a batch", () => {
  const odd = 'x } ; flush ruleset ; # "\n`$(reboot)`';
  const table = tableOf([pod(odd, odd), pod("b", "10.0.0.3", { labels: { [odd]: odd }, node: "n1" })], []);
  table.setNamespace(odd, { [odd]: odd });
  const rule: networking.NetworkPolicyIngressRule = {
    from: [
      { ipBlock: { cidr: odd } },
      { ipBlock: { cidr: "10.0.0.0/8", except: [odd] } },
      { podSelector: { matchLabels: { [odd]: odd } } },
      {},
    ],
    ports: [{ port: odd }, { port: 1e9 }, { port: 5, endPort: 2 }, { port: Number.NaN }, { protocol: odd as "TCP" }],
  };
  const errors = table.setPolicy(odd, {
    metadata: { name: odd, namespace },
    spec: { podSelector: {}, ingress: [rule], egress: [{ to: rule.from ?? [], ports: [{ port: odd }] }] },
    status: {},
  });
  expect(errors.length).toBe(12);
  const made = table.table();
  expect(forwards(made, { ...connection, to: "10.0.0.3" })).toBe(false);
  const names = [...made.chains, ...made.sets].map(({ name }) => name);
  expect(names.every((name) => /^[a-z][0-9a-z-]{0,47}$/.test(name))).toBe(true);
  expect(fullBatch(made)).not.toContain("flush");
  expect(fullBatch(made)).not.toMatch(/["#$`]/);
});

test("a policy whose selector cannot be read changes nothing but its error", () => {
  const table = tableOf([web], []);
  table.difference();
  const bad = policy("bad", { podSelector: { matchExpressions: [{ key: "a", operator: "Odd" as "In" }] } });
  expect(table.setPolicy("demo/bad", bad)).toEqual(['podSelector: "Odd" is not a valid label selector operator']);
  expect(changeOf(table)).toBe("");
  table.setPolicy("demo/web", policy("web", fromClients));
  expect(changeOf(table)).toContain("jump");
});

test("enormous policies become sets, not rules", () => {
  const count = 20_000;
  const except = Array.from({ length: count }, (_, i) => `10.${i >> 8}.${i & 255}.8/30`);
  const from = Array.from({ length: 400 }, (_, i) => ({ podSelector: { matchLabels: { app: `client-${i}` } } }));
  const ports = Array.from({ length: 2_000 }, (_, i) => ({ port: 1 + 2 * i }));
  const table = tableOf(
    [web, pod("client-7", "10.0.0.9")],
    [
      policy("large", {
        podSelector: {},
        ingress: [{ from: [...from, { ipBlock: { cidr: "10.0.0.0/8", except } }], ports }],
      }),
    ],
  ).table();
  expect(table.chains.reduce((sum, { rules }) => sum + rules.length, 0)).toBeLessThan(20);
  expect(
    table.sets
      .map(({ elements }) => elements.size)
      .sort((a, b) => b - a)
      .slice(0, 2),
  ).toEqual([count + 1, 2_000]);
  expect(forwards(table, { ...connection, port: 3_999 })).toBe(true);
  expect(forwards(table, { ...connection, from: "10.0.0.8" })).toBe(false);
});

test("rules that name only ports share one set", () => {
  const ingress = Array.from({ length: 25_000 }, (_, i) => ({ ports: [{ port: 1 + 2 * i }] }));
  const named = { ports: [{ port: "none" }] };
  const table = tableOf(
    [web],
    [policy("ports", { podSelector: {}, ingress: [...ingress, named, { from: [], ...named }] })],
  ).table();
  const kinds = table.sets.flatMap(({ name }) => /^(ports|named.)-/.exec(name)?.[1] ?? []);
  expect(kinds).toEqual(["named4", "named6", "ports"]);
  expect(forwards(table, { ...connection, port: 49_999 })).toBe(true);
  expect(forwards(table, { ...connection, port: 50_000 })).toBe(false);
});

const many = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const client = (i: number) => ({ podSelector: { matchLabels: { app: i === 0 ? "client" : `client-${i}` } } });
const inValues = (count: number) => ({
  matchExpressions: [{ key: "app", operator: "In" as const, values: many(count, (i) => `v${i}`) }],
});
const notIn = (value: string) => ({ matchExpressions: [{ key: "app", operator: "NotIn" as const, values: [value] }] });
test.each([
  ["251 rules with peers", { ingress: many(251, (i) => ({ from: [client(0)], ports: [{ port: 80 + i }] })) }],
  ["2001 selectors, labels and values", { ingress: [{ from: many(1_000, client) }] }],
  ["1002 selectors, labels and values", { ingress: [{}], egress: [{ to: many(1_001, () => ({ podSelector: {} })) }] }],
  ["1003 selectors, labels and values", { ingress: [{ from: [client(0), { podSelector: inValues(999) }] }] }],
  ["1021 selectors, labels and values", { ingress: [{ from: many(51, (i) => ({ podSelector: notIn(`a${i}`) })) }] }],
  ["50001 ports and blocks", { ingress: [{ ports: many(50_001, (i) => ({ port: 1 + i })) }] }],
])("a policy with %s isolates and allows nothing until it is smaller", (what, spec) => {
  const table = tableOf([web, pod("client", "10.0.0.9")], [policy("web", fromClients)]);
  expect(table.setPolicy("demo/web", policy("web", { podSelector: {}, ...spec }))).toEqual([]);
  expect(forwards(table.table(), connection)).toBe(false);
  expect(table.unenforced.get("demo/web")).toContain(what);
  expect(table.tooLargePolicies).toBe(1);
  expect(table.table().sets.length).toBe(7);
  table.setPolicy("demo/web", policy("web", fromClients));
  expect(table.tooLargePolicies).toBe(0);
  expect(forwards(table.table(), connection)).toBe(true);
});
