import { expect, test } from "vitest";
import { selfSignedHosts } from "./self-signed-hosts.ts";

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
