import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseFlags } from "@orchernetes/component";
import { orchProxyConfigurationSchema, parseConfig } from "@orchernetes/config";
import { afterAll, expect, test } from "vitest";
import { type Config, completeConfig } from "./config.ts";
import { orchProxyFlags as flags } from "./flags/index.ts";
import { writeConfiguration } from "./write-configuration.ts";

const dir = mkdtempSync(join(tmpdir(), "proxy-config-"));
afterAll(() => rmSync(dir, { recursive: true }));

const head = { apiVersion: "orchproxy.config.o8s.io/v1alpha1", kind: "OrchProxyConfiguration" };
const path = join(dir, "config.yaml");
const fileOf = (fields: object): string => {
  writeFileSync(path, JSON.stringify({ ...head, ...fields }));
  return `--config=${path}`;
};

async function configured(...argv: readonly string[]): Promise<Config> {
  const program = { name: "x", description: "x", version: { text: "v", raw: "v" } };
  const parsed = parseFlags(program, flags, ["--master=http://127.0.0.1:1", ...argv]);
  if (parsed.type !== "run") throw new Error(JSON.stringify(parsed));
  return completeConfig(parsed.flags, parsed.explicit);
}

test("flags that set fields have the fields' defaults", async () => {
  const { settings } = await configured();
  expect(settings).toEqual(parseConfig(head, orchProxyConfigurationSchema, "test"));
});

test("a document in which every unset field is empty has the defaults, as tools of the original write it", async () => {
  const empty = {
    bindAddress: "",
    clientConnection: { acceptContentTypes: "", burst: 0, contentType: "", orchconfig: "", qps: 0 },
    configSyncPeriod: "0s",
    conntrack: { maxPerCore: null, min: null, tcpCloseWaitTimeout: null, tcpEstablishedTimeout: null },
    detectLocal: { bridgeInterface: "", interfaceNamePrefix: "" },
    detectLocalMode: "",
    healthzBindAddress: "",
    iptables: {
      localhostNodePorts: null,
      masqueradeAll: false,
      masqueradeBit: null,
      minSyncPeriod: "0s",
      syncPeriod: "0s",
    },
    ipvs: { excludeCIDRs: null, minSyncPeriod: "0s", scheduler: "", syncPeriod: "0s" },
    metricsBindAddress: "",
    nodePortAddresses: null,
    oomScoreAdj: null,
    udpIdleTimeout: "0s",
  };
  const { settings } = await configured(fileOf(empty));
  expect(settings).toEqual(parseConfig(head, orchProxyConfigurationSchema, "test"));
});

test("errors are reported at once, each with its place", async () => {
  const file = fileOf({ mode: "kernelspace", iptables: { syncPeriod: "1s", minSyncPeriod: "2s" }, portRange: "9-1" });
  const at = `--config: file "${path}", field `;
  await expect(
    configured(file, "--cluster-cidr=10.0.0.0/8,10.1.0.0/16", "--hostname-override=a b", "--healthz-bind-address=a"),
  ).rejects.toMatchObject({
    errors: expect.arrayContaining([
      `${at}mode: invalid value "kernelspace"; want one of "", "nftables", "userspace", "iptables", "ipvs"`,
      `${at}iptables.syncPeriod: invalid value "1s"; want at least minSyncPeriod`,
      `${at}portRange: invalid value "9-1"; want a port range such as 300-2000`,
      expect.stringMatching(/^--cluster-cidr: field clusterCIDR: .*want a CIDR, or one of each IP family/),
      expect.stringMatching(/^--healthz-bind-address: field healthzBindAddress: .*want an address with a port/),
      expect.stringMatching(/^--hostname-override: found "a b"; /),
    ]),
  });
});

test.each([
  ["the defaults", [], ["0.0.0.0", 10256], ["127.0.0.1", 10249]],
  ["addresses of the family of the node", [fileOf({ bindAddress: "::" })], ["::", 10256], ["::1", 10249]],
  [
    "addresses without ports",
    ["--healthz-bind-address=10.0.0.1", "--healthz-port=1", "--metrics-bind-address=::1", "--metrics-port=2"],
    ["10.0.0.1", 1],
    ["::1", 2],
  ],
  ["disabled ports", ["--healthz-bind-address=", "--metrics-port=0"], undefined, undefined],
])("ports: %s", async (_, argv, healthz, metrics) => {
  const port = (of: typeof healthz) => of && { host: of[0], port: of[1] };
  writeFileSync(path, JSON.stringify({ ...head, bindAddress: "::" }));
  const config = await configured(...argv);
  expect([config.healthz, config.metrics]).toEqual([port(healthz), port(metrics)]);
});

test.each(["iptables", "ipvs"])("mode %s stands for nftables, with a warning", async (mode) => {
  const { warnings } = await configured(`--proxy-mode=${mode}`);
  expect(warnings).toEqual([`proxy mode "${mode}" is replaced by mode nftables, which provides the same services`]);
});

test("the written configuration is read to the same settings, and neither that nor cleaning up needs a client", async () => {
  const target = join(dir, "written.yaml");
  const argv = ["--conntrack-min=7", "--iptables-sync-period=1m30s", "--nodeport-addresses=10.0.0.0/8,fd00::/8"];
  const { settings, task } = await configured(...argv, `--write-config-to=${target}`);
  expect(task).toEqual({ type: "WriteConfiguration", path: target });
  await writeConfiguration(target, settings);
  expect((await configured(`--config=${target}`)).settings).toEqual(settings);
  const parsed = parseFlags({ name: "x", description: "x", version: { text: "v", raw: "v" } }, flags, ["--cleanup"]);
  if (parsed.type !== "run") throw new Error(JSON.stringify(parsed));
  expect((await completeConfig(parsed.flags, parsed.explicit)).task).toEqual({ type: "CleanUp" });
});
