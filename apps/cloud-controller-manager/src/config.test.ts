import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CloudProviderModule } from "@orchernetes/cloud-provider";
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

const configured = (...argv: readonly string[]): Promise<Config> => configuredWith({}, ...argv);

async function configuredWith(more: Partial<CloudProviderModule>, ...argv: readonly string[]): Promise<Config> {
  const program = { name: "x", description: "x", version: { text: "v", raw: "v" } };
  const parsed = parseFlags(program, flags, ["--master=http://127.0.0.1:1", ...argv]);
  if (parsed.type !== "run") throw new Error(JSON.stringify(parsed));
  const provider = async (): Promise<CloudProviderModule> => ({
    ...more,
    create() {
      throw new Error("no cloud is asked");
    },
  });
  return completeConfig(parsed.flags, parsed.explicit, { fake: provider, other: provider });
}

test("the file names the provider and its configuration; flags on the command line win over it", async () => {
  const config = await configured(
    fileOf({
      Generic: { ClientConnection: { qps: 7, burst: 8 }, LeaderElection: { leaderElect: false } },
      OrchCloudShared: { CloudProvider: { Name: "fake", CloudConfigFile: cloudConfig }, AllocateNodeCIDRs: true },
    }),
    "--orch-api-qps=9",
  );
  expect(config.cloudConfig).toBe("region = a");
  expect(config.settings.Generic.ClientConnection).toMatchObject({ qps: 9, burst: 8 });
  expect(config.settings.Generic.LeaderElection.leaderElect).toBe(false);
  expect(config.warnings).toEqual([`--config: file "${path}", field OrchCloudShared.AllocateNodeCIDRs has no effect`]);
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
      `${at}OrchCloudShared.CloudProvider.Name: unknown cloud provider "aws"; want --cloud-provider=fake or --cloud-provider=other or the absolute path of a module`,
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

test("controllers are selected, and get their settings from their fields", async () => {
  const config = await configured(
    "--cloud-provider=fake",
    "--controllers=*,-route",
    "--concurrent-service-syncs=3",
    "--cluster-name=c",
    "--node-status-update-frequency=1m",
  );
  expect(config.enabled.map(({ name }) => name)).toEqual(["cloud-node", "cloud-node-lifecycle", "service"]);
  expect(config.controllers).toMatchObject({
    service: { workers: 3, clusterName: "c", stableNodes: true },
    "cloud-node": { updateMs: 60_000 },
  });
  await expect(configured("--cloud-provider=fake", "--controllers=job", "--cluster-cidr=a")).rejects.toMatchObject({
    errors: [
      'invalid value "job" for flag --controllers: want "*", or one of these with or without "-" in front: cloud-node, cloud-node-lifecycle, route, service',
      '--cluster-cidr: invalid value "a"; want a range such as 10.244.0.0/16',
    ],
  });
});

test("webhooks are those of the provider that are enabled, with their feature gate", async () => {
  const webhooks = { a: { path: "/a", admit: async () => ({ allowed: true }) } };
  const withWebhooks = (...argv: readonly string[]) => configuredWith({ webhooks }, "--cloud-provider=fake", ...argv);
  const gate = "--feature-gates=CloudControllerManagerWebhook=true";
  expect((await withWebhooks("--webhooks=*", gate)).webhooks).toEqual(webhooks);
  expect((await withWebhooks("--webhooks=-a", gate)).webhooks).toEqual({});
  expect((await withWebhooks(gate)).webhooks).toEqual({});
  expect(await withWebhooks("--webhooks=a")).toMatchObject({
    webhooks: {},
    warnings: ["flag --webhooks has no effect: feature gate CloudControllerManagerWebhook is disabled"],
  });
  await expect(withWebhooks("--webhooks=b", gate)).rejects.toMatchObject({
    errors: ['invalid value "b" for flag --webhooks: want "*", or one of these with or without "-" in front: a'],
  });
  await expect(withWebhooks("--webhook-tls-cert-file=/gone.crt")).rejects.toThrow("--webhook-tls");
});
