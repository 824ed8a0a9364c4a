import { expect, test } from "vitest";
import { externalAddress } from "./external-address.ts";

test.each([
  ["", "10.0.0.1", "10.0.0.1:6443"],
  ["", "fd00::1", "[fd00::1]:6443"],
  ["api.example.com", "10.0.0.1", "api.example.com:6443"],
  ["api.example.com:443", "10.0.0.1", "api.example.com:443"],
  ["[fd00::2]:443", "10.0.0.1", "[fd00::2]:443"],
  ["fd00::2", "10.0.0.1", "[fd00::2]:6443"],
])("--external-hostname=%s, advertised as %s: %s", (hostname, advertiseAddress, want) => {
  expect(externalAddress({ hostname, advertiseAddress, port: 6443 })).toBe(want);
});
