import type { apiregistration, core } from "@orchernetes/api";
import { notFound } from "@orchernetes/apimachinery";
import type { Registry } from "@orchernetes/apiserver";
import { describe, expect, test } from "vitest";
import { type Routing, resolveService } from "./service-resolver.ts";

const remote = {
  apiService: {} as apiregistration.APIService,
  name: "v1.a.example.com",
  group: "a.example.com",
  version: "v1",
  service: { namespace: "n", name: "s", port: 443 },
};
const ports = [{ name: "https", port: 443 }];
const clusterIP = "10.0.0.5";
const subset = (...ips: string[]) => ({
  addresses: ips.map((ip) => ({ ip })),
  ports: [
    { name: "other", port: 1 },
    { name: "https", port: 6443 },
  ],
});

function resolve(routing: Routing, spec: object | undefined, subsets?: readonly object[]): Promise<string> {
  const registry = {
    forDefinition: ({ plural }: { readonly plural: string }) => ({
      get: async () => {
        const found = plural === "services" ? spec && { metadata: {}, spec } : subsets && { metadata: {}, subsets };
        if (found === undefined) throw notFound({ group: "", plural }, "s");
        return found as core.Service;
      },
    }),
  } as unknown as Registry;
  return resolveService(registry, remote, routing).then(({ host, port }) => `${host}:${port}`);
}

describe("by the address of the service", () => {
  test.each([
    ["its cluster IP", { clusterIP, ports }, "10.0.0.5:443"],
    ["a load balancer's, too", { type: "LoadBalancer", clusterIP, ports }, "10.0.0.5:443"],
    ["a name outside", { type: "ExternalName", externalName: "ext.example.com" }, "ext.example.com:443"],
  ])("%s", async (_, spec, want) => {
    expect(await resolve("cluster-ip", spec)).toBe(want);
  });

  test.each([
    ["no service", undefined, 'services "s" not found'],
    ["no cluster IP", { clusterIP: "None", ports }, 'cannot route to service with ClusterIP "None"'],
    ["another port", { clusterIP, ports: [{ port: 80 }] }, 'no service port 443 found for service "s"'],
    ["another type", { type: "Other", clusterIP, ports }, 'unsupported service type "Other"'],
  ])("%s", async (_, spec, message) => {
    await expect(resolve("cluster-ip", spec)).rejects.toThrow(message);
  });
});

describe("by endpoints", () => {
  test("any ready one of any subset that has the port", async () => {
    const seen = new Set<string>();
    const subsets = [
      subset("10.1.0.1", "10.1.0.2"),
      { addresses: [{ ip: "10.9.9.9" }], ports: [{ port: 80 }] },
      subset("10.1.0.3"),
    ];
    for (let i = 0; i < 200; i++) seen.add(await resolve("endpoints", { clusterIP, ports }, subsets));
    expect([...seen].sort()).toEqual(["10.1.0.1:6443", "10.1.0.2:6443", "10.1.0.3:6443"]);
  });

  test.each([
    ["no endpoints", { clusterIP, ports }, undefined, 'no endpoints available for service "s"'],
    ["none ready", { clusterIP, ports }, [subset()], 'no endpoints available for service "s"'],
    ["a name outside", { type: "ExternalName", externalName: "x" }, [], 'unsupported service type "ExternalName"'],
  ])("%s", async (_, spec, subsets, message) => {
    await expect(resolve("endpoints", spec, subsets)).rejects.toThrow(message);
  });
});
