import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseFlags } from "@orchernetes/component";
import { cloudControllerManagerConfigurationSchema, parseConfig } from "@orchernetes/config";
import { afterAll, expect, test } from "vitest";
import { type Config, completeConfig } from "./config.ts";
import { cloudControllerManagerFlags as flags } from "./flags/index.ts";

const dir = mkdtempSync(join(tmpdir(), "ccm-config-"));
afterAll(() => rmSync(dir, { recursive: true }));

const head = {
  apiVersion: "cloudcontrollermanager.config.o8s.io/v1alpha1",
  kind: "CloudControllerManagerConfiguration",
};
const path = join(dir, "config.yaml");
const fileOf = (fields: object): string => {
  writeFileSync(path, JSON.stringify({ ...head, ...fields }));
  return `--config=${path}`;
};
const cloudConfig = join(dir, "cloud.conf");
writeFileSync(cloudConfig, "region = a");

async function configured(...argv: readonly string[]): Promise<Config> {
  const program = { name: "x", description: "x", version: { text: "v", raw: "v" } };
  const parsed = parseFlags(program, flags, ["--master=http://127.0.0.1:1", ...argv]);
  if (parsed.type !== "run") throw new Error(JSON.stringify(parsed));
  const provider = () => {
    throw new Error("no cloud is asked");
  };
  return completeConfig(parsed.flags, parsed.explicit, { fake: provider, other: provider });
}

test("the file names the provider and its configuration; flags on the command line win over it", async () => {
  const config = await configured(
    fileOf({
      Generic: { ClientConnection: { qps: 7, burst: 8 }, LeaderElection: { leaderElect: false } },
      OrchCloudShared: { CloudProvider: { Name: "fake", CloudConfigFile: cloudConfig }, ClusterName: "a" },
    }),
    "--orch-api-qps=9",
  );
  expect(config.cloudConfig).toBe("region = a");
  expect(config.settings.Generic.ClientConnection).toMatchObject({ qps: 9, burst: 8 });
  expect(config.settings.Generic.LeaderElection.leaderElect).toBe(false);
  expect(config.warnings).toEqual([`--config: file "${path}", field OrchCloudShared.ClusterName has no effect`]);
});

test("errors in the file are reported at once, with file, path, value and what would do", async () => {
  const configuring = configured(
    fileOf({
      Generic: { ClientConnection: { burst: -1 } },
      OrchCloudShared: { CloudProvider: { Name: "aws", CloudConfigFile: "/gone/cloud.conf" } },
      NodeController: { ConcurrentNodeSyncs: "many" },
    }),
  );
  const at = `--config: file "${path}", field `;
  await expect(configuring).rejects.toMatchObject({
    errors: [
      `${at}OrchCloudShared.CloudProvider.Name: unknown cloud provider "aws"; want --cloud-provider=fake or --cloud-provider=other`,
      `${at}Generic.ClientConnection.burst: invalid value -1; want at least 0`,
      `${at}NodeController.ConcurrentNodeSyncs: invalid value "many"; want a number`,
      expect.stringContaining(`${at}OrchCloudShared.CloudProvider.CloudConfigFile: "/gone/cloud.conf" cannot be read`),
    ],
  });
});

test("flags that set fields have the fields' defaults", async () => {
  const { settings } = await configured("--cloud-provider=fake");
  const shared = { OrchCloudShared: { CloudProvider: { Name: "fake" } } };
  expect(settings).toEqual(parseConfig({ ...head, ...shared }, cloudControllerManagerConfigurationSchema, "test"));
});
