import { expect, test } from "vitest";
import { externalAddress, selfSignedHosts } from "./server-names.ts";

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

const service = ["orchernetes.default.svc", "orchernetes.default", "orchernetes"];

test.each([
  ["0.0.0.0", ["10.0.0.2", "10.96.0.1", ...service, "localhost"]],
  ["::", ["10.0.0.2", "10.96.0.1", ...service, "localhost"]],
  ["", ["10.0.0.2", "10.96.0.1", ...service, "localhost"]],
  ["127.0.0.1", ["10.0.0.2", "10.96.0.1", ...service, "127.0.0.1", "localhost"]],
  ["10.0.0.9", ["10.0.0.2", "10.96.0.1", ...service, "10.0.0.9"]],
])("bound to %j", (bindAddress, want) => {
  const options = { bindAddress, advertiseAddress: "10.0.0.2", serviceAddress: "10.96.0.1" };
  expect(selfSignedHosts(options)).toEqual(want);
});
