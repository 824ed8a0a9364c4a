import type { core } from "@orchernetes/api";
import { service } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { differenceOf, isEmptyDifference } from "../nft/difference.ts";
import { isDynamic } from "../nft/reload.ts";
import { endpointSlice } from "../testing/endpoint-slice.ts";
import { affinityLimits } from "./affinity/affinity-shares.ts";
import { ServiceRules } from "./service-rules.ts";

/** Services with affinity that share no chains, because each has a timeout of its own. */

function sticky(namespace: string, i: number): core.Service {
  const { metadata, ...rest } = service(`s${i}`)
    .clusterIP(`10.96.${i >> 8}.${i & 0xff}`)
    .port(80, 8080)
    .spec({ sessionAffinity: "ClientIP", sessionAffinityConfig: { clientIP: { timeoutSeconds: 1000 + i } } })
    .build();
  return { ...rest, metadata: { ...metadata, namespace } };
}

const five = [1, 2, 3, 4, 5].map((i) => `10.244.0.${i}`);

function started() {
  const rules = new ServiceRules({ nodeName: "node-1", families: ["IPv4"] });
  return {
    rules,
    add(...services: readonly core.Service[]) {
      for (const built of services) {
        rules.setService(built);
        rules.setEndpointSlice(endpointSlice(built, five));
      }
    },
    clientSets: (namespace: string) =>
      rules.table().sets.filter((set) => isDynamic(set) && set.name.endsWith(`-in-${namespace}`)).length,
    chains: (namespace: string) => rules.table().chains.filter(({ name }) => name.endsWith(`-in-${namespace}`)).length,
  };
}

const many = Array.from({ length: 1000 }, (_, i) => sticky("many", i));

test("the services of one namespace have chains up to its limit, are served beyond it, and reported once", () => {
  const { rules, add, chains } = started();
  add(...many, sticky("few", 2000));
  const { problems } = rules.takeChange();
  expect(chains("many")).toBeLessThan(affinityLimits.namespace * 2);
  expect(chains("many")).toBeGreaterThan(affinityLimits.namespace);
  expect(chains("few")).toBeGreaterThan(8);
  expect(problems.size).toBe(1000 - affinityLimits.namespace / 8);
  expect([...problems.values()][0]).toEqual([
    "its clients have no session affinity, because its namespace, or all namespaces together, would need too many chains",
  ]);
  expect(rules.table().sets.find(({ name }) => name === "v4-services")?.elements.size).toBe(1001);
  add(sticky("few", 2000));
  expect(rules.takeChange().problems.size).toBe(0);
});

test("a reduction takes from the namespace with most, and when its services are gone nothing of them is left", () => {
  const { rules, add, chains, clientSets } = started();
  add(...many.slice(0, 100), sticky("few", 2000));
  expect(rules.takeChange().problems.size).toBe(0);
  const before = { many: chains("many"), few: chains("few") };
  expect(rules.reduceAffinity()).toBe(true);
  expect(isEmptyDifference(rules.takeChange().difference)).toBe(false);
  expect(chains("many")).toBeLessThanOrEqual(before.many / 2);
  expect(chains("many")).toBeGreaterThan(0);
  expect(chains("few")).toBe(before.few);
  for (const built of many.slice(0, 100)) rules.deleteService(built);
  rules.takeChange();
  expect(chains("many") + clientSets("many")).toBe(0);
  const fresh = started();
  fresh.add(sticky("few", 2000));
  fresh.rules.takeChange();
  const difference = differenceOf(fresh.rules.table(), rules.table());
  expect(difference !== undefined && isEmptyDifference(difference)).toBe(true);
});
