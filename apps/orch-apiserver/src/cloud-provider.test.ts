import { expect, test } from "vitest";
import { checkCloudProvider } from "./cloud-provider.ts";

const check = (provider: string, file = ""): readonly string[] => {
  const errors: string[] = [];
  const flags = { "cloud-provider": provider, "cloud-config": file };
  checkCloudProvider(flags, (flag, text) => errors.push(`--${flag}: ${text}`));
  return errors;
};

test.each(["", "external"])("provider %j needs nothing built in", (provider) => {
  expect(check(provider)).toEqual([]);
});

test.each([
  ["gce", '--cloud-provider: found "gce", which is not built in; want "" or "external"'],
  ["nimbus", '--cloud-provider: unknown cloud provider "nimbus"; want "" or "external"'],
])("provider %j is refused with the reason", (provider, error) => {
  expect(check(provider)).toEqual([expect.stringContaining(error)]);
});

test("a file that no provider reads is refused, together with the provider", () => {
  expect(check("aws", "/etc/cloud.conf")).toEqual([
    expect.stringContaining('found "aws"'),
    expect.stringContaining('--cloud-config: found "/etc/cloud.conf"; no cloud provider is built in'),
  ]);
});
