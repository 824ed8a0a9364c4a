import type { networkInterfaces } from "node:os";
import { describe, expect, test } from "vitest";
import { isGlobalUnicast } from "./address-class.ts";
import { type AddressScope, createDestinationResolver } from "./destination-resolver.ts";
import { type OwnListenerOptions, ownListener } from "./own-listener.ts";

test.each([
  ["10.0.0.1", true],
  ["192.168.1.1", true],
  ["8.8.8.8", true],
  ["fd00::1", true],
  ["2001:db8::1", true],
  ["::ffff:10.0.0.1", true],
  ["127.0.0.1", false],
  ["127.1.2.3", false],
  ["::1", false],
  ["::ffff:127.0.0.1", false],
  ["::ffff:7f00:1", false],
  ["0.0.0.0", false],
  ["0.1.2.3", false],
  ["::", false],
  ["169.254.169.254", false],
  ["::ffff:a9fe:a9fe", false],
  ["fe80::1", false],
  ["fe80::1%eth0", false],
  ["224.0.0.1", false],
  ["ff02::1", false],
  ["255.255.255.255", false],
  ["010.0.0.1", false],
  ["localhost", false],
  ["", false],
])("%j is a global unicast address: %s", (address, want) => {
  expect(isGlobalUnicast(address)).toBe(want);
});

const interfaces = (() => ({
  lo: [{ address: "127.0.0.1" }],
  eth0: [{ address: "10.0.0.2" }, { address: "fd00::2" }],
})) as unknown as typeof networkInterfaces;
const own = (options: Partial<OwnListenerOptions> = {}) =>
  ownListener({ bindAddress: "0.0.0.0", advertiseAddress: "10.0.0.2", port: 6443, interfaces, ...options });

describe("a server's own listener", () => {
  test.each<[string, Partial<OwnListenerOptions>, string, number, boolean]>([
    ["an address of an interface", {}, "10.0.0.2", 6443, true],
    ["the same in another spelling", {}, "::ffff:10.0.0.2", 6443, true],
    ["an IPv6 address of an interface", {}, "fd00:0:0::2", 6443, true],
    ["any loopback address", {}, "127.9.9.9", 6443, true],
    ["the unspecified address", {}, "0.0.0.0", 6443, true],
    ["another port", {}, "10.0.0.2", 10250, false],
    ["another host", {}, "10.0.0.3", 6443, false],
    ["the address it is bound to", { bindAddress: "127.0.0.1" }, "127.0.0.1", 6443, true],
    ["loopback, when bound to another address", { bindAddress: "10.0.0.2" }, "127.0.0.1", 6443, false],
    ["the advertised address", { bindAddress: "127.0.0.1", advertiseAddress: "10.0.0.9" }, "10.0.0.9", 6443, true],
    ["the address of its service", { aliases: [{ host: "10.96.0.1", port: 443 }] }, "10.96.0.1", 443, true],
    ["that of the service at another port", { aliases: [{ host: "10.96.0.1", port: 443 }] }, "10.96.0.1", 80, false],
  ])("%s", (_, options, host, port, want) => {
    expect(own(options)({ host, port })).toBe(want);
  });
});

describe("destinations", () => {
  const names: Readonly<Record<string, readonly string[]>> = {
    good: ["10.0.0.7", "fd00::7"],
    mixed: ["10.0.0.7", "127.0.0.1"],
    self: ["10.0.0.2"],
    none: [],
  };
  const destinations = createDestinationResolver({ isOwnListener: own(), lookup: async (name) => names[name] ?? [] });

  test.each<[string, AddressScope, string]>([
    ["10.0.0.7", "global", "10.0.0.7"],
    ["good", "global", "10.0.0.7"],
    ["127.0.0.1", "authenticated", "127.0.0.1"],
    ["127.0.0.1", "any", "127.0.0.1"],
    ["169.254.1.1", "any", "169.254.1.1"],
  ])("%s with %s addresses", async (host, scope, want) => {
    expect(await destinations.resolve(host, 80, scope, "it")).toEqual({ host: want, port: 80 });
  });

  test.each<[string, AddressScope, RegExp]>([
    ["127.0.0.1", "global", /^address not allowed: pod "p" is at "127\.0\.0\.1"; a global unicast address is expected/],
    ["mixed", "global", /"127\.0\.0\.1" \(of name "mixed"\)/],
    ["169.254.169.254", "authenticated", /^address not allowed/],
    ["none", "global", /has no addresses/],
    ["", "global", /has no addresses/],
    ["self", "any", /where this API server listens/],
    ["10.0.0.2", "global", /where this API server listens/],
    ["127.0.0.1", "authenticated", /where this API server listens/],
  ])("%s with %s addresses is rejected", async (host, scope, message) => {
    await expect(destinations.resolve(host, 6443, scope, 'pod "p"')).rejects.toThrow(message);
  });
});
