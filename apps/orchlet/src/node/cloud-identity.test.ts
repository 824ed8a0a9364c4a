import { expect, test } from "vitest";
import { cloudFileErrors, cloudIdentity } from "./cloud-identity.ts";

// shows: --cloud-provider, --node-ip
test.each([
  ["", "10.0.0.1", { cloud: undefined }],
  ["external", "", { cloud: { providedIp: "" } }],
  ["external", "10.0.0.1", { cloud: { providedIp: "10.0.0.1" } }],
  ["external", "10.0.0.1, fd00::1", { cloud: { providedIp: "10.0.0.1" } }],
  ["external", "::", { cloud: { providedIp: "" } }],
  ["external", "0.0.0.0", { cloud: { providedIp: "" } }],
  ["aws", "", { error: '--cloud-provider: found "aws"; want "external", or nothing' }],
])("--cloud-provider=%s --node-ip=%s", (provider, nodeIp, wanted) => {
  expect(cloudIdentity(provider, nodeIp)).toEqual(wanted);
});

// shows: --cloud-config
test("a file for a cloud provider is rejected, because none is built in", () => {
  expect(cloudFileErrors("")).toEqual([]);
  expect(cloudFileErrors("/etc/cloud.conf")).toEqual([
    expect.stringMatching(/^--cloud-config: found "\/etc\/cloud.conf"; no cloud provider is built in /),
  ]);
});
