import type { discovery } from "@orchernetes/api";
import { expect, test } from "vitest";
import { deleteSplit, setSplit, splitAtLoopback } from "./loopback-endpoints.ts";

const slice = (ports: readonly number[], ...addresses: string[]): discovery.EndpointSlice => ({
  apiVersion: "discovery.o8s.io/v1",
  kind: "EndpointSlice",
  metadata: { name: "a", namespace: "default", labels: { "orchernetes.io/service-name": "orchernetes" } },
  addressType: "IPv4",
  endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
  ports: ports.map((port) => ({ name: `p${port}`, port, protocol: "TCP" })),
});
const own = () => new Set(["192.0.2.2"]);
const addressesOf = (given?: discovery.EndpointSlice) => given?.endpoints?.flatMap(({ addresses }) => addresses);
const portsOf = (given?: discovery.EndpointSlice) => given?.ports?.map(({ port }) => port);

test("only endpoints at this host and at such a port are reached at the loopback address", () => {
  const both = slice([6443], "192.0.2.2", "192.0.2.3");
  expect(addressesOf(splitAtLoopback(both, [6443], own).loopback)).toEqual(["127.0.0.1", "192.0.2.3"]);
  expect(addressesOf(both)).toEqual(["192.0.2.2", "192.0.2.3"]);
  const other = slice([6443], "192.0.2.3");
  for (const [given, ports] of [[both, []] as const, [both, [443]] as const, [other, [6443]] as const])
    expect(splitAtLoopback(given, ports, own)).toEqual({ slice: given, loopback: undefined });
});

test("other ports of the slice stay at the address of the host", () => {
  const { slice: rest, loopback } = splitAtLoopback(slice([6443, 2379], "192.0.2.2"), [6443], own);
  expect([portsOf(loopback), addressesOf(loopback)]).toEqual([[6443], ["127.0.0.1"]]);
  expect([portsOf(rest), addressesOf(rest)]).toEqual([[2379], ["192.0.2.2"]]);
});

test.each<readonly [string, discovery.EndpointSlice["metadata"]]>([
  ["another namespace", { namespace: "a", labels: { "orchernetes.io/service-name": "orchernetes" } }],
  ["another service", { namespace: "default", labels: { "orchernetes.io/service-name": "web" } }],
  ["no service", { namespace: "default" }],
])("a slice of %s stays as it is", (_, metadata) => {
  const given = { ...slice([6443, 2379], "192.0.2.2"), metadata: { name: "a", ...metadata } };
  expect(splitAtLoopback(given, [6443], own)).toEqual({ slice: given, loopback: undefined });
});

test("of a slice that is at this host no longer, or deleted, the rules keep nothing at the loopback address", () => {
  const kept = new Map<string, unknown>();
  const rules = {
    setEndpointSlice: ({ metadata, endpoints }: discovery.EndpointSlice) =>
      void kept.set(
        metadata.name ?? "",
        endpoints?.flatMap(({ addresses }) => addresses),
      ),
    deleteEndpointSlice: ({ metadata }: discovery.EndpointSlice) => void kept.delete(metadata.name ?? ""),
  };
  const set = (given: discovery.EndpointSlice) => setSplit(rules, given, splitAtLoopback(given, [6443], own));
  set(slice([6443], "192.0.2.2"));
  expect([...kept]).toEqual([
    ["a", ["192.0.2.2"]],
    ["a/loopback", ["127.0.0.1"]],
  ]);
  set(slice([6443], "192.0.2.3"));
  expect([...kept]).toEqual([["a", ["192.0.2.3"]]]);
  set(slice([6443], "192.0.2.2"));
  deleteSplit(rules, slice([6443]));
  expect(kept.size).toBe(0);
});
