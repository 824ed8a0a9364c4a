import { expect, test } from "vitest";
import { cloudIdentity } from "./cloud-identity.ts";

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
