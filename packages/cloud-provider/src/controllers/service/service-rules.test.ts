import { node, service } from "@orchernetes/testkit";
import { describe, expect, test } from "vitest";
import { equalStatus, LOAD_BALANCER_FINALIZER, needsCleanup, wantsLoadBalancer } from "./load-balancer-service.ts";
import { nodeRules, sameNodes } from "./node-predicates.ts";
import { reconcileService } from "./reconcile.ts";
import { serviceChange } from "./service-change.ts";

const web = service("web").uid("u1").spec({ type: "LoadBalancer" }).port(80);

describe("which services have load balancers", () => {
  test("those of the type without a class", () => {
    expect(wantsLoadBalancer(web.build())).toBe(true);
    expect(wantsLoadBalancer(web.spec({ loadBalancerClass: "example.com/other" }).build())).toBe(false);
    expect(wantsLoadBalancer(service("web").build())).toBe(false);
  });

  test("one is left behind by a service with the finalizer that is deleted or has another type", () => {
    const held = web.finalizers(LOAD_BALANCER_FINALIZER);
    expect(needsCleanup(held.build())).toBe(false);
    expect(needsCleanup(held.spec({ type: "ClusterIP" }).build())).toBe(true);
    const deleted = held.build();
    expect(
      needsCleanup({ ...deleted, metadata: { ...deleted.metadata, deletionTimestamp: "2024-01-01T00:00:00Z" } }),
    ).toBe(true);
    expect(needsCleanup(web.spec({ type: "ClusterIP" }).build())).toBe(false);
  });

  test("statuses are equal by addresses in their order", () => {
    expect(equalStatus(undefined, {})).toBe(true);
    expect(equalStatus({ ingress: [{ ip: "1.1.1.1" }] }, { ingress: [{ ip: "1.1.1.1", hostname: "" }] })).toBe(true);
    expect(
      equalStatus(
        { ingress: [{ ip: "1.1.1.1" }, { ip: "2.2.2.2" }] },
        { ingress: [{ ip: "2.2.2.2" }, { ip: "1.1.1.1" }] },
      ),
    ).toBe(false);
  });
});

describe("changes that a load balancer follows", () => {
  const base = web.spec({ externalTrafficPolicy: "Cluster" });
  test.each<[string, Parameters<typeof base.spec>[0], unknown]>([
    ["the type", { type: "ClusterIP" }, { reason: "Type", message: "LoadBalancer -> ClusterIP" }],
    [
      "source ranges",
      { loadBalancerSourceRanges: ["10.0.0.0/8", "11.0.0.0/8"] },
      { reason: "LoadBalancerSourceRanges", message: "[] -> [10.0.0.0/8 11.0.0.0/8]" },
    ],
    ["ports", { ports: [{ port: 81, targetPort: 80, protocol: "TCP" }] }, undefined],
    ["affinity", { sessionAffinity: "ClientIP" }, undefined],
    ["the time of affinity", { sessionAffinityConfig: { clientIP: { timeoutSeconds: 5 } } }, undefined],
    ["the wanted address", { loadBalancerIP: "192.0.2.1" }, { reason: "LoadbalancerIP", message: " -> 192.0.2.1" }],
    ["external addresses", { externalIPs: ["192.0.2.1"] }, { reason: "ExternalIP", message: "Count: 0 -> 1" }],
    [
      "the policy",
      { externalTrafficPolicy: "Local" },
      { reason: "ExternalTrafficPolicy", message: "Cluster -> Local" },
    ],
    ["the health port", { healthCheckNodePort: 30000 }, { reason: "HealthCheckNodePort", message: " -> 30000" }],
    ["a second family", { ipFamilies: ["IPv4", "IPv6"] }, { reason: "IPFamilies", message: "Count: 0 -> 2" }],
  ])("%s", (_, change, event) => {
    const found = serviceChange(base.build(), base.spec(change).build());
    expect(found).toBeDefined();
    expect(found?.event).toEqual(event);
  });

  test("annotations, another external address, another uid", () => {
    expect(serviceChange(base.build(), base.annotations({ a: "b" }).build())).toEqual({});
    const [one, two] = [
      base.spec({ externalIPs: ["1.1.1.1"] }).build(),
      base.spec({ externalIPs: ["2.2.2.2"] }).build(),
    ];
    expect(serviceChange(one, two)?.event).toEqual({ reason: "ExternalIP", message: "Added: 2.2.2.2" });
    expect(serviceChange(base.build(), base.uid("u2").build())?.event).toEqual({ reason: "UID", message: "u1 -> u2" });
  });

  test("labels, statuses and services without load balancers are of no interest", () => {
    expect(serviceChange(base.build(), base.labels({ a: "b" }).build())).toBeUndefined();
    const plain = service("a");
    expect(serviceChange(plain.build(), plain.port(80).build())).toBeUndefined();
  });
});

describe("nodes behind load balancers", () => {
  const a = node("a").spec({ providerID: "x://a" });
  const excluded = a.labels({ "node.orchernetes.io/exclude-from-external-load-balancers": "" });
  const tainted = a.taint("ToBeDeletedByClusterAutoscaler", "NoSchedule");
  const bare = node("a");
  test.each([
    ["with a stable set", true, true],
    ["without", false, false],
  ])("%s", (_, stable, unreadyServes) => {
    const { serves, changes } = nodeRules(stable);
    expect(serves(a.build())).toBe(true);
    for (const other of [excluded, tainted, bare]) expect(serves(other.build())).toBe(false);
    const unready = a.ready("False").build();
    expect(serves(unready)).toBe(unreadyServes);
    expect(changes(a.build(), unready)).toBe(!stable);
    expect(changes(a.build(), tainted.build())).toBe(!stable);
    expect(changes(a.build(), excluded.build())).toBe(true);
    expect(changes(a.build(), bare.build())).toBe(true);
    expect(changes(a.build(), a.labels({ x: "y" }).build())).toBe(false);
  });

  test("are the same by name and provider ID, in any order", () => {
    const b = node("b").spec({ providerID: "x://b" }).build();
    expect(sameNodes([a.build(), b], [b, a.labels({ x: "y" }).build()])).toBe(true);
    expect(sameNodes([a.build()], [a.build(), b])).toBe(false);
    expect(sameNodes([a.build()], [a.spec({ providerID: "x://c" }).build()])).toBe(false);
  });
});

describe("what is done about a service", () => {
  const typesOf = (...args: Parameters<typeof reconcileService>) =>
    reconcileService(...args).actions.map(({ type }) => type);
  const now = web.build();
  test.each<[string, Parameters<typeof reconcileService>[0], readonly string[]]>([
    ["nothing is known", { service: undefined, synced: undefined }, []],
    ["it is new", { service: now, synced: undefined }, ["Ensure"]],
    ["it is known", { service: now, synced: now }, ["Ensure"]],
    ["it is gone", { service: undefined, synced: now }, ["DeleteLost"]],
    ["it was replaced", { service: web.uid("u2").build(), synced: now }, ["DeleteLost", "Ensure"]],
    ["it wants none any more", { service: web.spec({ type: "ClusterIP" }).build(), synced: now }, ["Release"]],
  ])("when %s", (_, state, types) => {
    expect(typesOf(state)).toEqual(types);
  });
});
