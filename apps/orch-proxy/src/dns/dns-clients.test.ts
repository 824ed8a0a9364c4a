import type { NetworkInterfaceInfo } from "node:os";
import { orchProxyConfigurationSchema, parseConfig } from "@orchernetes/config";
import { FakeClock, silentLogger } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { dnsClients } from "./dns-clients.ts";

const head = { apiVersion: "orchproxy.config.o8s.io/v1alpha1", kind: "OrchProxyConfiguration" };
const own = (address: string): NetworkInterfaceInfo => ({
  ...{ address, netmask: "", mac: "", internal: false, cidr: null },
  family: "IPv4",
});

function started(fields: object) {
  const clock = new FakeClock();
  const warnings: unknown[] = [];
  const logger = { ...silentLogger, warn: (_: string, values?: object) => void warnings.push(values) };
  const interfaces = { eth0: [own("192.0.2.1")] };
  const settings = parseConfig({ ...head, ...fields }, orchProxyConfigurationSchema, "test");
  const admits = dnsClients({ settings, clock, logger, interfaces: () => interfaces });
  return { admits, clock, interfaces, warnings };
}

const clusterDNS = { addresses: ["10.96.0.10"] };

test("pods and the host get answers, others none, of which a line a minute is logged", () => {
  const { admits, clock, interfaces, warnings } = started({ clusterCIDR: "10.244.0.0/16,fd00:244::/48", clusterDNS });
  for (const address of ["10.244.3.4", "fd00:244::9", "127.0.0.1", "::1", "10.96.0.10", "192.0.2.1"])
    expect(admits?.(address), address).toBe(true);
  for (const address of ["192.0.2.9", "10.245.0.1", "2001:db8::1"]) expect(admits?.(address), address).toBe(false);
  expect(warnings).toHaveLength(1);
  clock.advance(60_000);
  interfaces.eth0.push(own("192.0.2.9"));
  expect(admits?.("192.0.2.9")).toBe(true);
  expect(admits?.("192.0.2.8")).toBe(false);
  expect(warnings).toHaveLength(2);
});

test("configured clients take the place of clusterCIDR", () => {
  const { admits } = started({
    clusterCIDR: "10.244.0.0/16",
    clusterDNS: { ...clusterDNS, clients: ["192.0.2.0/24", "::/0"] },
  });
  expect(["192.0.2.9", "2001:db8::1", "127.0.0.1"].map((address) => admits?.(address))).toEqual([true, true, true]);
  expect(admits?.("10.244.0.1")).toBe(false);
});

test("where nothing says which addresses pods have, everyone gets answers", () => {
  expect(started({ clusterDNS }).admits).toBeUndefined();
});
