import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigurationError, type FlagTable, parseFlags } from "@orchernetes/component";
import { formatDuration, orchControllerManagerConfigurationSchema, overlay, parseConfig } from "@orchernetes/config";
import { orchControllerManagerDefaults } from "@orchernetes/config/orch-controller-manager-defaults";
import { afterAll, expect, test } from "vitest";
import { type Config, completeConfig } from "./config.ts";
import { orchControllerManagerFlags as flags } from "./flags/index.ts";
import { document } from "./testing/settings.ts";

const dir = mkdtempSync(join(tmpdir(), "kcm-config-"));
afterAll(() => rmSync(dir, { recursive: true }));

const head = {
  apiVersion: "orchcontrollermanager.config.o8s.io/v1alpha1",
  kind: "OrchControllerManagerConfiguration",
};
const path = join(dir, "config.yaml");
const fileOf = (fields: object, of: object = head): string => {
  writeFileSync(path, JSON.stringify({ ...of, ...fields }));
  return `--config=${path}`;
};

async function configured(...argv: readonly string[]): Promise<Config> {
  const program = { name: "x", description: "x", version: { text: "v", raw: "v" } };
  const parsed = parseFlags(program, flags, ["--master=http://127.0.0.1:1", ...argv]);
  if (parsed.type !== "run") throw new Error(JSON.stringify(parsed));
  return completeConfig(parsed.flags, parsed.explicit);
}

test("the file gives the settings, flags on the command line win over it", async () => {
  const config = await configured(
    fileOf({
      Generic: { Controllers: ["job", "podgc"], ControllerStartInterval: "2s", ClientConnection: { qps: 7 } },
      DeploymentController: { ConcurrentDeploymentSyncs: 7 },
      EndpointController: { EndpointUpdatesBatchPeriod: "500ms" },
      JobController: { ConcurrentJobSyncs: 9 },
      GarbageCollectorController: { GCIgnoredResources: [{ Group: "apps", Resource: "deployments" }] },
    }),
    "--controllers=cronjob",
    "--concurrent-deployment-syncs=3",
  );
  expect(config.enabled.map(({ name }) => name)).toEqual(["cronjob"]);
  expect(config.settings.Generic).toMatchObject({ ControllerStartInterval: 2000, MinResyncPeriod: 43_200_000 });
  expect(config.rateLimit).toEqual({ qps: 7, burst: 30 });
  expect(config.controllers).toMatchObject({
    deployment: { workers: 3 },
    endpoint: { workers: 5, batchMs: 500 },
    job: { workers: 9 },
    cronjob: { workers: 5 },
    daemonset: { workers: 2 },
    garbagecollector: { ignored: ["apps/deployments"] },
  });
});

test("without a file, flags and their defaults are the settings, and there is no rate limit", async () => {
  const config = await configured("--concurrent-gc-syncs=4");
  expect(config.controllers.garbagecollector).toMatchObject({ workers: 4, isEnabled: true });
  expect(config.rateLimit).toBeUndefined();
});

test("fields without effect warn", async () => {
  const { warnings } = await configured(
    fileOf({ Generic: { Port: 1 }, NodeLifecycleController: { PodEvictionTimeout: "1m" } }),
  );
  expect(warnings).toEqual([
    `--config: file "${path}", field Generic.Port has no effect`,
    `--config: file "${path}", field NodeLifecycleController.PodEvictionTimeout has no effect`,
  ]);
});

test("errors in the file, in flags and in files that they name are reported at once", async () => {
  const error = await configured(
    fileOf({
      Generic: { Controllers: ["nope"], LeaderElection: { leaseDuration: "5s" } },
      SAController: { RootCAFile: "/gone/ca.crt" },
      CSRSigningController: { ClusterSigningCertFile: "/gone/signer.crt" },
      JobController: { ConcurrentJobSyncs: 0 },
      Unknown: {},
    }),
    "--client-ca-file=/gone/client.crt",
  ).catch((reason: unknown) => reason);
  const at = `--config: file "${path}", field `;
  expect(error).toBeInstanceOf(ConfigurationError);
  const { errors } = error as ConfigurationError;
  const wanted = [
    `${at}Generic.LeaderElection.leaseDuration: invalid value "5s"; want more than renewDeadline`,
    `${at}JobController.ConcurrentJobSyncs: invalid value 0; want at least 1`,
    `${at}Unknown: unknown field`,
    `${at}Generic.Controllers: invalid value "nope"; want "*", or one of these`,
    `${at}SAController.RootCAFile: "/gone/ca.crt"`,
    `${at}CSRSigningController.ClusterSigningCertFile: "/gone/signer.crt"`,
    `${at}CSRSigningController.ClusterSigningKeyFile: not given`,
    `--client-ca-file: "/gone/client.crt"`,
  ];
  for (const want of wanted) expect(errors).toContainEqual(expect.stringContaining(want));
  expect(errors).toHaveLength(wanted.length);
});

test.each([
  ["a missing file", "--config=/gone/config.yaml", '--config: file "/gone/config.yaml" cannot be read: ENOENT'],
  ["another kind", fileOf({}, { ...head, kind: "OrchletConfiguration" }), `, field kind: invalid value`],
])("%s is refused", async (name, flag, want) => {
  if (name === "another kind") fileOf({}, { ...head, kind: "OrchletConfiguration" });
  await expect(configured(flag)).rejects.toMatchObject({ errors: [expect.stringContaining(want)] });
});

test("flags that set fields have the fields' defaults", async () => {
  const table: FlagTable = flags;
  expect(Object.values(table).filter(({ field }) => field !== undefined).length).toBeGreaterThan(90);
  const { settings } = await configured();
  expect(settings).toEqual(document);
  expect(settings).toEqual(orchControllerManagerDefaults);
  expect(parseConfig(head, orchControllerManagerConfigurationSchema, "test")).toEqual(document);
});

test("every flag that sets a field has the field's type and bounds: at its ends the schema accepts it", () => {
  const ends = Object.entries(flags as FlagTable).flatMap(([name, row]) =>
    row.field === undefined || !(row.type === "int" || row.type === "float" || row.type === "duration")
      ? []
      : [row.min, row.max].flatMap((end) =>
          end === undefined ? [] : [{ name, field: row.field ?? "", end, type: row.type }],
        ),
  );
  expect(ends.length).toBeGreaterThan(50);
  const refused = ends.filter(({ field, end, type }) => {
    // Election times depend on each other.
    if (field.startsWith("Generic.LeaderElection")) return false;
    const value = type === "duration" ? formatDuration(end) : end;
    return !orchControllerManagerConfigurationSchema.safeParse(overlay(head, new Map([[field, value]]))).success;
  });
  expect(refused).toEqual([]);
});

test("controllers that move are led by another lock, those of other managers by none; that of tokens stays", async () => {
  const names = (list: Config["enabled"]) => list.map(({ name }) => name);
  const Generic = {
    Controllers: ["serviceaccount-token", "job", "cronjob", "podgc"],
    LeaderMigrationEnabled: true,
    LeaderMigration: {
      leaderName: "moving",
      controllerLeaders: [
        { name: "job", component: "*" },
        { name: "cronjob", component: "cloud-controller-manager" },
        { name: "serviceaccount-token", component: "*" },
      ],
    },
  };
  const config = await configured(fileOf({ Generic }));
  expect(config.migration).toMatchObject({ lock: "leases", namespace: "orch-system", name: "moving" });
  expect([names(config.enabled), names(config.migrated)]).toEqual([["serviceaccount-token", "podgc"], ["job"]]);
  const flags = await configured("--enable-leader-migration", "--controllers=job");
  expect(flags.migration?.name).toBe("cloud-provider-extraction-migration");
  expect([names(flags.enabled), flags.migrated]).toEqual([["job"], []]);
  const off = await configured("--enable-leader-migration", "--leader-elect=false", "--controllers=job");
  expect([off.migration, names(off.enabled), off.warnings]).toEqual([
    undefined,
    ["job"],
    ["leader migration has no effect without leader election"],
  ]);
});

test("a cloud provider is found by its name or path, and checks its configuration; an external one runs elsewhere", async () => {
  const names = ({ enabled }: Config) => enabled.map(({ name }) => name);
  const none = await configured("--controllers=service,job");
  expect([none.cloud, names(none)]).toEqual([undefined, ["job", "service"]]);
  const local = await configured("--cloud-provider=local");
  expect(local.cloud?.module).toHaveProperty("create");
  expect(names(local)).toEqual(expect.arrayContaining(["service", "route", "cloud-node-lifecycle"]));
  const external = await configured("--cloud-provider=external", "--controllers=service,job");
  expect([external.cloud, names(external)]).toEqual([undefined, ["job"]]);
  const file = join(dir, "cloud.conf");
  writeFileSync(file, "region: a");
  await expect(configured("--cloud-provider=local", `--cloud-config=${file}`)).rejects.toMatchObject({
    errors: [`--cloud-config: "${file}": provider local has no settings; want an empty file`],
  });
  await expect(configured("--cloud-provider=aws", "--cluster-cidr=a")).rejects.toMatchObject({
    errors: expect.arrayContaining([
      expect.stringContaining('unknown cloud provider "aws" for flag --cloud-provider: want --cloud-provider='),
      '--cluster-cidr: invalid value "a"; want a range such as 10.244.0.0/16',
    ]),
  });
  await expect(configured("--cloud-provider=local", "--feature-gates=DisableCloudProviders=true")).rejects.toThrow(
    'cloud provider "local" was specified, but built-in cloud providers are disabled',
  );
});
