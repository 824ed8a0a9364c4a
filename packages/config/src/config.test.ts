import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import {
  ConfigFileError,
  cloudControllerManagerConfigurationSchema,
  credentialProviderConfigSchema,
  defaultLeaderMigration,
  formatDuration,
  leaderMigrationConfigurationSchema,
  loadConfigFile,
  orchControllerManagerConfigurationSchema,
  orchletConfigurationSchema,
  orchletFieldNames,
  orchletGateErrors,
  overlay,
  parseConfig,
  parseConfigText,
  tracingConfigurationSchema,
} from "./index.ts";

const head = { apiVersion: "orchlet.config.o8s.io/v1beta1", kind: "OrchletConfiguration" };
const orchlet = (fields: object) => parseConfig({ ...head, ...fields }, orchletConfigurationSchema, "file");
const errorsOf = (run: () => unknown): readonly string[] => {
  try {
    run();
  } catch (error) {
    if (error instanceof ConfigFileError) return error.errors;
    throw error;
  }
  return [];
};

test("a value that contains itself is reported as an error", () => {
  const document = parseConfigText("port: &a [*a]", "file");
  expect(errorsOf(() => orchlet(document as object))).toEqual([
    "file, field port: invalid value (contains itself); want a number",
  ]);
});

test("an empty orchlet configuration has all defaults", () => {
  expect(orchlet({})).toMatchObject({
    port: 10250,
    authentication: { anonymous: { enabled: false }, webhook: { enabled: true, cacheTTL: 120_000 } },
    authorization: { mode: "Webhook" },
    nodeStatusUpdateFrequency: 10_000,
    nodeStatusReportFrequency: 300_000,
    evictionHard: { "memory.available": "100Mi" },
    imageServiceEndpoint: "unix:///run/containerd/containerd.sock",
    logging: { flushFrequency: 5000 },
  });
});

test.each<[object, object]>([
  [{ nodeStatusUpdateFrequency: "20s" }, { nodeStatusUpdateFrequency: 20_000, nodeStatusReportFrequency: 20_000 }],
  [{ nodeStatusUpdateFrequency: "20s", nodeStatusReportFrequency: "1m" }, { nodeStatusReportFrequency: 60_000 }],
  [{ containerRuntimeEndpoint: "unix:///a" }, { imageServiceEndpoint: "unix:///a" }],
  [{ evictionHard: { "memory.available": "1Gi" } }, { evictionHard: { "memory.available": "1Gi" } }],
  [{ logging: { flushFrequency: 1_000_000_000 } }, { logging: { flushFrequency: 1000, verbosity: 0 } }],
  [
    { authentication: { x509: { clientCAFile: "/ca" } } },
    { authentication: { x509: { clientCAFile: "/ca" }, webhook: { enabled: true } } },
  ],
])("%j gives %j", (fields, want) => {
  expect(orchlet(fields)).toMatchObject(want);
});

test.each<[object, string]>([
  [{ port: 0 }, "file, field port: invalid value 0; want at least 1"],
  [{ port: "10250" }, 'file, field port: invalid value "10250"; want a number'],
  [{ port: 1.5 }, "file, field port: invalid value 1.5; want a whole number"],
  [{ healthzPort: 70000 }, "file, field healthzPort: invalid value 70000; want at most 65535"],
  [
    { syncFrequency: "5" },
    'file, field syncFrequency: invalid value "5"; want a duration such as 1m30s of at least 1 milliseconds',
  ],
  [{ syncFrequency: 5 }, "file, field syncFrequency: invalid value 5; want a string"],
  [
    { cpuCFSQuotaPeriod: "2s" },
    'file, field cpuCFSQuotaPeriod: invalid value "2s"; want a duration such as 1m30s of at least 1 milliseconds and at most 1000 milliseconds',
  ],
  [{ address: "host" }, 'file, field address: invalid value "host"; want an IP address such as 10.0.0.1 or fd00::1'],
  [{ cgroupDriver: "x" }, 'file, field cgroupDriver: invalid value "x"; want one of "cgroupfs", "systemd"'],
  [{ prot: 1 }, "file, field prot: unknown field"],
  [{ authentication: { webhok: {} } }, "file, field authentication.webhok: unknown field"],
  [
    { clusterDNS: ["10.0.0.10", "x"] },
    'file, field clusterDNS[1]: invalid value "x"; want an IP address such as 10.0.0.1 or fd00::1',
  ],
  [
    { registerWithTaints: [{ key: "a" }] },
    'file, field registerWithTaints[0].effect: missing; want one of "NoSchedule", "PreferNoSchedule", "NoExecute"',
  ],
  [
    { imageGCLowThresholdPercent: 85 },
    "file, field imageGCLowThresholdPercent: invalid value 85; want less than imageGCHighThresholdPercent",
  ],
  [
    { maxParallelImagePulls: 3 },
    "file, field maxParallelImagePulls: invalid value 3; want no more than 1 while serializeImagePulls is true",
  ],
  [{ podsPerCore: 200 }, "file, field podsPerCore: invalid value 200; want no more than maxPods"],
  [{ systemCgroups: "/x" }, 'file, field systemCgroups: invalid value "/x"; want cgroupRoot set too'],
  [{ shutdownGracePeriod: "500ms" }, 'file, field shutdownGracePeriod: invalid value "500ms"; want 0 or at least 1s'],
  [
    { shutdownGracePeriod: "5s", shutdownGracePeriodCriticalPods: "9s" },
    'file, field shutdownGracePeriodCriticalPods: invalid value "9s"; want no more than shutdownGracePeriod',
  ],
  [
    { enforceNodeAllocatable: ["none", "pods"] },
    'file, field enforceNodeAllocatable: invalid value ["none","pods"]; want "none" alone',
  ],
  [
    { enforceNodeAllocatable: ["pods", "system-reserved"] },
    "file, field systemReservedCgroup: missing; want a control group while enforceNodeAllocatable has system-reserved",
  ],
  [{ cgroupsPerQOS: false }, 'file, field enforceNodeAllocatable: missing; want "none" while cgroupsPerQOS is false'],
  [{ memoryThrottlingFactor: 0 }, "file, field memoryThrottlingFactor: invalid value 0; want more than 0"],
  [{ containerLogMaxFiles: 1 }, "file, field containerLogMaxFiles: invalid value 1; want at least 2"],
  [{ containerRuntimeEndpoint: "" }, 'file, field containerRuntimeEndpoint: invalid value ""; want it not empty'],
  [{ nodeLeaseDurationSeconds: 0 }, "file, field nodeLeaseDurationSeconds: invalid value 0; want at least 1"],
  [{ nodeStatusMaxImages: -2 }, "file, field nodeStatusMaxImages: invalid value -2; want at least -1"],
  [
    { evictionSoft: { "memory.available": "1Gi" } },
    "file, field evictionSoftGracePeriod: missing; want a grace period for every signal in evictionSoft",
  ],
  [
    { reservedMemory: [{ numaNode: 0, limits: { cpu: "1" } }] },
    'file, field reservedMemory[0].limits: invalid value {"cpu":"1"}; want only the types memory and hugepages-<size>',
  ],
  [
    { tracing: { samplingRatePerMillion: 1_000_001 } },
    "file, field tracing.samplingRatePerMillion: invalid value 1000001; want at most 1000000",
  ],
  [
    { tracing: { endpoint: "http://x" } },
    'file, field tracing.endpoint: invalid value "http://x"; unsupported scheme "http"; want host:port, or an address that starts with dns://, unix:// or unix-abstract://',
  ],
])("%j is an error", (fields, error) => {
  expect(errorsOf(() => orchlet(fields))).toEqual([error]);
});

test("another kind or version is rejected", () => {
  expect(errorsOf(() => parseConfig({ ...head, kind: "Pod" }, orchletConfigurationSchema, "file"))).toEqual([
    'file, field kind: invalid value "Pod"; want "OrchletConfiguration"',
  ]);
  expect(errorsOf(() => parseConfig(null, orchletConfigurationSchema, "file"))).toEqual([
    "file: invalid value null; want a mapping",
  ]);
});

test("settings that need a disabled feature gate are reported", () => {
  const config = orchlet({ cpuCFSQuotaPeriod: "50ms", memorySwap: { swapBehavior: "LimitedSwap" } });
  expect(orchletGateErrors(config, (gate) => gate === "NodeSwap")).toEqual([
    "field cpuCFSQuotaPeriod: want it unset, or feature gate CustomCPUCFSQuotaPeriod on",
  ]);
});

test("controller manager configurations have defaults and limits", () => {
  const orch = {
    apiVersion: "orchcontrollermanager.config.o8s.io/v1alpha1",
    kind: "OrchControllerManagerConfiguration",
  };
  expect(parseConfig(orch, orchControllerManagerConfigurationSchema, "file")).toMatchObject({
    Generic: { LeaderElection: { resourceName: "orch-controller-manager", leaseDuration: 15_000 }, Controllers: ["*"] },
    DaemonSetController: { ConcurrentDaemonSetSyncs: 2 },
    NodeLifecycleController: { NodeEvictionRate: 0.1 },
  });
  const cloud = {
    apiVersion: "cloudcontrollermanager.config.o8s.io/v1alpha1",
    kind: "CloudControllerManagerConfiguration",
  };
  expect(parseConfig(cloud, cloudControllerManagerConfigurationSchema, "file")).toMatchObject({
    Generic: { LeaderElection: { resourceName: "cloud-controller-manager" } },
    NodeStatusUpdateFrequency: 300_000,
  });
  const faulty = {
    ...cloud,
    Generic: { LeaderElection: { leaseDuration: "10s", renewDeadline: "10s", retryPeriod: "9s" } },
    NodeController: { ConcurrentNodeSyncs: 0 },
  };
  expect(errorsOf(() => parseConfig(faulty, cloudControllerManagerConfigurationSchema, "file"))).toEqual([
    'file, field Generic.LeaderElection.leaseDuration: invalid value "10s"; want more than renewDeadline',
    'file, field Generic.LeaderElection.renewDeadline: invalid value "10s"; want more than 1.2 times retryPeriod',
    "file, field NodeController.ConcurrentNodeSyncs: invalid value 0; want at least 1",
  ]);
});

test("the leader migration file is checked and has defaults", () => {
  expect(parseConfig(defaultLeaderMigration, leaderMigrationConfigurationSchema, "file")).toEqual(
    defaultLeaderMigration,
  );
  const faulty = { ...defaultLeaderMigration, resourceLock: "x", controllerLeaders: [{ name: "a", component: "b" }] };
  expect(errorsOf(() => parseConfig(faulty, leaderMigrationConfigurationSchema, "file"))).toHaveLength(2);
});

test("the credential provider file is checked", () => {
  const provider = {
    name: "helper",
    matchImages: ["*.example.com:5000/team"],
    defaultCacheDuration: "12h",
    apiVersion: "credentialprovider.orchlet.o8s.io/v1beta1",
  };
  const file = (...providers: object[]) => ({
    apiVersion: head.apiVersion,
    kind: "CredentialProviderConfig",
    providers,
  });
  expect(parseConfig(file(provider), credentialProviderConfigSchema, "file").providers[0]).toMatchObject({
    args: [],
    defaultCacheDuration: 43_200_000,
  });
  expect(errorsOf(() => parseConfig(file(provider, provider), credentialProviderConfigSchema, "file"))).toEqual([
    'file, field providers[1].name: invalid value "helper"; want every name once',
  ]);
  expect(
    errorsOf(() =>
      parseConfig(file({ ...provider, name: "../x", matchImages: ["a.io/*"] }), credentialProviderConfigSchema, "file"),
    ),
  ).toHaveLength(2);
});

let directory = "";
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "config-"));
});
afterEach(() => rm(directory, { recursive: true }));

test("a file is loaded, and flags override it", async () => {
  const path = join(directory, "orchlet.yaml");
  await writeFile(
    path,
    "apiVersion: orchlet.config.o8s.io/v1beta1\nkind: OrchletConfiguration\nmaxPods: 20\nauthentication:\n  anonymous: {enabled: true}\n",
  );
  const settings = new Map<string, unknown>([
    ["port", 1234],
    ["authentication.webhook.cacheTTL", "5s"],
  ]);
  expect(await loadConfigFile(path, orchletConfigurationSchema, settings)).toMatchObject({
    maxPods: 20,
    port: 1234,
    authentication: { anonymous: { enabled: true }, webhook: { cacheTTL: 5000 } },
  });
  await expect(loadConfigFile(join(directory, "none"), orchletConfigurationSchema)).rejects.toThrow(
    /none" cannot be read: ENOENT/,
  );
});

test.each([
  ["a: 1\na: 2", /^x: Map keys must be unique/],
  ["a: [1", /^x: /],
  ["a: 1\n---\nb: 2", /^x: Source contains multiple documents/],
  ["a: *none", /^x: /],
])("%j is rejected", (text, pattern) => {
  expect(errorsOf(() => parseConfigText(text, "x"))[0]).toMatch(pattern);
});

test.each([
  ["an alias", () => parseConfigText("headers: *s3cret", "x"), /refers to no anchor/],
  ["a tag", () => parseConfigText("headers: !s3cret!x a", "x"), /unknown tag.* at line 1, column \d+; want/],
  ["a header", () => orchlet({ staticPodURLHeader: { Authorization: "Bearer s3cret" } }), /\(not shown\); want a list/],
  ["headers", () => orchlet({ staticPodURLHeader: "Bearer s3cret" }), /\(not shown\)/],
  ["a file of another form", () => parseConfig("s3cret,admin", orchletConfigurationSchema, "x"), /\(not shown\)/],
])("errors do not quote what may be a secret: %s", (_, run, want) => {
  const errors = errorsOf(run).join("\n");
  expect(errors).toMatch(want);
  expect(errors).not.toContain("s3cret");
});

test("keys that are names of Object.prototype are data", () => {
  const document = parseConfigText('{"__proto__": {"polluted": 1}, "constructor": 2}', "x");
  const result = overlay(document, new Map([["__proto__.polluted", 2]]));
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
  expect(errorsOf(() => parseConfig(result, z.strictObject({}), "x"))).toContain("x, field constructor: unknown field");
});

const facts = join(import.meta.dirname, "../../testkit/facts/component-config.json");
test("defaults agree with the reference", () => {
  const reference = JSON.parse(readFileSync(facts, "utf8"));
  const config: Readonly<Record<string, unknown>> = orchlet({});
  for (const [path, want] of Object.entries<unknown>(reference.defaults.OrchletConfiguration)) {
    if (path.startsWith("evictionHard.") || path === "logging.flushFrequency") continue;
    const got = path.split(".").reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], config);
    const text = typeof want === "string" && /^\d+(\.\d+)?(ms|s|m|h)/.test(want) ? formatDuration(got as number) : got;
    if (typeof want !== "object" || Array.isArray(want)) expect(text, path).toEqual(want);
  }
  const fields: readonly { readonly n?: string }[] = reference.types.OrchletConfiguration.types.OrchletConfiguration;
  expect([...orchletFieldNames].sort()).toEqual(fields.flatMap(({ n }) => (n === undefined ? [] : [n])).sort());
});

test.each([
  ["localhost:4317", true],
  ["[::1]:4317", true],
  ["collector.tracing.svc", true],
  ["dns:///collector:4317", true],
  ["unix:///run/otel.sock", true],
  ["unix-abstract://otel", true],
  ["", false],
  ["unix://", false],
  ["https://collector:4317", false],
  ["two words:1", false],
])("collector address %j: %s", (endpoint, accepted) => {
  const document = { apiVersion: "apiserver.config.o8s.io/v1alpha1", kind: "TracingConfiguration", endpoint };
  expect(tracingConfigurationSchema.safeParse(document).success).toBe(accepted);
});
