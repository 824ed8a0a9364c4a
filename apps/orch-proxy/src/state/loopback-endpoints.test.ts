import type { discovery } from "@orchernetes/api";
import { expect, test } from "vitest";
import { atLoopback } from "./loopback-endpoints.ts";

const slice = (port: number, ...addresses: string[]): discovery.EndpointSlice => ({
  apiVersion: "discovery.o8s.io/v1",
  kind: "EndpointSlice",
  metadata: { name: "a" },
  addressType: "IPv4",
  endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
  ports: [{ name: "https", port, protocol: "TCP" }],
});
const own = () => new Set(["192.0.2.2"]);
const addressesOf = ({ endpoints = [] }: discovery.EndpointSlice) => endpoints.flatMap(({ addresses }) => addresses);

test("only endpoints at this host and at such a port are reached at the loopback address", () => {
  const both = slice(6443, "192.0.2.2", "192.0.2.3");
  expect(addressesOf(atLoopback(both, [6443], own))).toEqual(["127.0.0.1", "192.0.2.3"]);
  expect(addressesOf(both)).toEqual(["192.0.2.2", "192.0.2.3"]);
  expect(atLoopback(both, [], own)).toBe(both);
  expect(atLoopback(both, [443], own)).toBe(both);
  const other = slice(6443, "192.0.2.3");
  expect(atLoopback(other, [6443], own)).toBe(other);
});
