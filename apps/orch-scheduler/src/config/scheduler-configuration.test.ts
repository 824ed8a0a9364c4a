import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigurationError, parseFlags } from "@orchernetes/component";
import { ConfigFileError, parseConfig, parseConfigText } from "@orchernetes/config";
import { afterAll, beforeAll, expect, test } from "vitest";
import { completeConfig } from "../config.ts";
import { schedulerFlags } from "../flags/index.ts";
import { profileOf } from "../testing/profiles.ts";
import { PLUGINS } from "./plugin-points.ts";
import { schedulerConfigurationSchema } from "./scheduler-configuration.ts";
import { queueSortErrors, selectionErrors, selectPlugins } from "./select-plugins.ts";
import { configurationText, writeConfiguration } from "./write-configuration.ts";

const head = { apiVersion: "orchscheduler.config.o8s.io/v1", kind: "OrchSchedulerConfiguration" };
const parse = (fields: unknown) => parseConfig({ ...head, ...(fields as object) }, schedulerConfigurationSchema, "f");
const errorsOf = (work: () => unknown): readonly string[] => {
  try {
    work();
  } catch (error) {
    if (error instanceof ConfigFileError || error instanceof ConfigurationError) return error.errors;
    throw error;
  }
  return [];
};

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "o8s-scheduler-config-"));
  const cluster = { server: "https://127.0.0.1:1", "insecure-skip-tls-verify": true };
  const client = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster }],
    users: [{ name: "u", user: { token: "t" } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  };
  await writeFile(join(dir, "client"), JSON.stringify(client));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

async function complete(argv: readonly string[]) {
  const program = { name: "orch-scheduler", description: "x", version: { text: "v", raw: "v" } };
  const parsed = parseFlags(program, schedulerFlags, argv);
  if (parsed.type !== "run") throw new Error(JSON.stringify(parsed));
  return completeConfig(parsed.flags, parsed.explicit);
}

test("an empty configuration has the defaults", () => {
  expect(parse({})).toMatchObject({
    parallelism: 16,
    percentageOfNodesToScore: 0,
    podInitialBackoffSeconds: 1,
    podMaxBackoffSeconds: 10,
    leaderElection: { leaderElect: true, leaseDuration: 15_000, resourceName: "orch-scheduler" },
    clientConnection: { qps: 50, burst: 100 },
    profiles: [{ schedulerName: "default-scheduler" }],
  });
});

/** A configuration with arguments of a plugin. */
const argumentsOf = (name: string, args: unknown) => ({ profiles: [{ pluginConfig: [{ name, args }] }] });

test.each<[string, string, unknown, unknown]>([
  [
    "a weight of 0 is 1",
    "NodeResourcesFit",
    { scoringStrategy: { resources: [{ name: "cpu", weight: 0 }] } },
    { scoringStrategy: { resources: [{ name: "cpu", weight: 1 }] } },
  ],
  [
    "a weight of 0 is 1 where it can be nothing else",
    "NodeResourcesBalancedAllocation",
    { resources: [{ name: "cpu", weight: 0 }] },
    { resources: [{ name: "cpu", weight: 1 }] },
  ],
  [
    "an empty list of resources is the default",
    "NodeResourcesBalancedAllocation",
    { resources: [] },
    { resources: [{ name: "cpu" }, { name: "memory" }] },
  ],
  [
    "the shape of another strategy has no effect",
    "NodeResourcesFit",
    {
      scoringStrategy: {
        type: "MostAllocated",
        requestedToCapacityRatio: { shape: [{ utilization: 0, score: 0 }] },
      },
    },
    { scoringStrategy: { type: "MostAllocated" } },
  ],
])("as in Kubernetes, %s", (_, name, args, want) => {
  expect(parse(argumentsOf(name, args)).profiles[0]?.pluginConfig[0]?.args).toMatchObject(want as object);
});

test("all profiles must order the queue in the same way", () => {
  const own = { queueSort: { enabled: [{ name: "Mine" }], disabled: [{ name: "*" }] } };
  const { profiles } = parse({ profiles: [{ schedulerName: "a" }, { schedulerName: "b", plugins: own }] });
  const known = [...PLUGINS, { name: "Mine", points: ["queueSort"] as const }];
  expect(queueSortErrors(profiles, () => known)).toEqual([
    "profiles[1].plugins.queueSort: has to match for all profiles",
  ]);
});

test.each<[string, unknown, string]>([
  ["an unknown field", { podBackoff: 1 }, "f, field podBackoff: unknown field"],
  [
    "a number as text",
    { podMaxBackoffSeconds: "10" },
    'f, field podMaxBackoffSeconds: invalid value "10"; want a number',
  ],
  [
    "a share beyond all",
    { percentageOfNodesToScore: 101 },
    "f, field percentageOfNodesToScore: invalid value 101; not in valid range [0-100]",
  ],
  [
    "back-offs that cross",
    { podInitialBackoffSeconds: 20 },
    "f, field podMaxBackoffSeconds: missing; must be greater than or equal to PodInitialBackoffSeconds",
  ],
  [
    "arguments of an unknown plugin",
    { profiles: [{ pluginConfig: [{ name: "Nope" }] }] },
    'f, field profiles[0].pluginConfig[0].name: invalid value "Nope"; want a plugin with arguments (DefaultPreemption,',
  ],
  [
    "a plugin twice",
    { profiles: [{ plugins: { filter: { enabled: [{ name: "NodeName" }, { name: "NodeName" }] } } }] },
    'f, field profiles[0].plugins.filter.enabled[1].name: invalid value "NodeName"; duplicate value',
  ],
  [
    "two profiles of one name",
    { profiles: [{ schedulerName: "a" }, { schedulerName: "a" }] },
    'f, field profiles[1].schedulerName: invalid value "a"; duplicate value',
  ],
  [
    "one of several profiles without a name",
    { profiles: [{ schedulerName: "a" }, {}] },
    "f, field profiles[1].schedulerName: missing; required if there are several profiles",
  ],
  [
    "a shape that falls",
    argumentsOf("NodeResourcesFit", {
      scoringStrategy: {
        type: "RequestedToCapacityRatio",
        requestedToCapacityRatio: {
          shape: [
            { utilization: 50, score: 1 },
            { utilization: 50, score: 2 },
          ],
        },
      },
    }),
    "shape[1].utilization: invalid value 50; utilization values must be sorted in increasing order",
  ],
  [
    "a strategy without its shape",
    argumentsOf("NodeResourcesFit", { scoringStrategy: { type: "RequestedToCapacityRatio" } }),
    "requestedToCapacityRatio: missing; must be specified when type is RequestedToCapacityRatio",
  ],
  [
    "arguments that a plugin does not have",
    { profiles: [{ pluginConfig: [{ name: "InterPodAffinity", args: { x: 1 } }] }] },
    "f, field profiles[0].pluginConfig[0].args.x: unknown field",
  ],
  [
    "default constraints beside the system's",
    {
      profiles: [
        {
          pluginConfig: [
            {
              name: "PodTopologySpread",
              args: { defaultConstraints: [{ maxSkew: 1, topologyKey: "z", whenUnsatisfiable: "ScheduleAnyway" }] },
            },
          ],
        },
      ],
    },
    "f, field profiles[0].pluginConfig[0].args.defaultingType: missing; when .defaultConstraints are not empty",
  ],
  [
    "another version",
    { apiVersion: "orchscheduler.config.o8s.io/v1beta2" },
    'f, field apiVersion: invalid value "orchscheduler.config.o8s.io/v1beta2"',
  ],
])("an invalid configuration is rejected: %s", (_, fields, want) => {
  expect(errorsOf(() => parse(fields))).toEqual([expect.stringContaining(want)]);
});

const enabled = (...names: (string | [string, number])[]) =>
  names.map((entry) => (typeof entry === "string" ? { name: entry } : { name: entry[0], weight: entry[1] }));
const disabled = (...names: string[]) => names.map((name) => ({ name }));
const defaultScores = [
  ["TaintToleration", 3],
  ["NodeAffinity", 2],
  ["NodeResourcesFit", 1],
  ["VolumeBinding", 1],
  ["PodTopologySpread", 2],
  ["InterPodAffinity", 2],
  ["NodeResourcesBalancedAllocation", 1],
  ["ImageLocality", 1],
];

test.each<[string, unknown, unknown[]]>([
  ["the defaults", {}, defaultScores],
  [
    "one less",
    { score: { disabled: disabled("ImageLocality", "NodeAffinity") } },
    defaultScores.filter(([name]) => name !== "ImageLocality" && name !== "NodeAffinity"),
  ],
  [
    "only one",
    { score: { disabled: disabled("*"), enabled: enabled(["NodeResourcesFit", 5]) } },
    [["NodeResourcesFit", 5]],
  ],
  [
    "another weight, in its place",
    { multiPoint: { enabled: enabled(["NodeAffinity", 9]) } },
    defaultScores.map(([name, weight]) => [name, name === "NodeAffinity" ? 9 : weight]),
  ],
  [
    "off everywhere, but on at this point",
    { multiPoint: { disabled: disabled("NodeAffinity") }, score: { enabled: enabled("NodeAffinity") } },
    [...defaultScores.filter(([name]) => name !== "NodeAffinity"), ["NodeAffinity", 1]],
  ],
  [
    "what has no part in scoring is not there",
    {
      multiPoint: {
        disabled: disabled("*"),
        enabled: enabled("PrioritySort", "NodePorts", "ImageLocality", "DefaultBinder"),
      },
    },
    [["ImageLocality", 1]],
  ],
])("the score plugins of a profile: %s", (_, plugins, want) => {
  const [profile] = parse({ profiles: [{ plugins }] }).profiles;
  if (profile === undefined) throw new Error("no profile");
  expect(selectionErrors(profile)).toEqual([]);
  expect(selectPlugins(profile.plugins, "score").map(({ name, weight }) => [name, weight])).toEqual(want);
});

test.each<[unknown, string[]]>([
  [
    { score: { enabled: enabled("NodePorts") }, filter: { enabled: enabled("Nope") } },
    [
      'plugins.filter.enabled[0].name: plugin "Nope" does not exist',
      'plugins.score.enabled[0].name: plugin "NodePorts" does not extend ScorePlugin plugin',
    ],
  ],
  [
    { bind: { disabled: disabled("DefaultBinder") }, multiPoint: { disabled: disabled("PrioritySort") } },
    [
      'plugins.queueSort: at least one queue sort plugin is needed for profile with scheduler name "default-scheduler"',
      'plugins.bind: at least one bind plugin is needed for profile with scheduler name "default-scheduler"',
    ],
  ],
])("an invalid choice of plugins is rejected: %j", (plugins, want) => {
  const [profile] = parse({ profiles: [{ plugins }] }).profiles;
  expect(profile && selectionErrors(profile)).toEqual(want);
});

test("a profile has the plugins of its configuration, in order", () => {
  const profile = profileOf({
    plugins: { filter: { disabled: disabled("NodePorts") }, postFilter: { disabled: disabled("*") } },
  });
  expect(profile.filters.map(({ name }) => name)).toEqual([
    "NodeUnschedulable",
    "NodeName",
    "TaintToleration",
    "NodeAffinity",
    "NodeResourcesFit",
    "VolumeRestrictions",
    "EBSLimits",
    "GCEPDLimits",
    "NodeVolumeLimits",
    "AzureDiskLimits",
    "VolumeBinding",
    "VolumeZone",
    "PodTopologySpread",
    "InterPodAffinity",
  ]);
  expect(profile.postFilters).toEqual([]);
});

test("SelectorSpread can be enabled in v1beta3, but not in v1", () => {
  const plugins = {
    preScore: { enabled: [{ name: "SelectorSpread" }] },
    score: { enabled: [{ name: "SelectorSpread" }] },
  };
  const read = (version: string) =>
    parseConfig(
      {
        apiVersion: `orchscheduler.config.o8s.io/${version}`,
        kind: "OrchSchedulerConfiguration",
        profiles: [{ plugins }],
      },
      schedulerConfigurationSchema,
      "f",
    );
  const [profile] = read("v1beta3").profiles;
  if (profile === undefined) throw new Error("no profile");
  expect(selectionErrors(profile)).toEqual([]);
  expect(selectPlugins(profile.plugins, "score").at(-1)).toEqual({ name: "SelectorSpread", weight: 1 });
  const v1 = '"orchscheduler.config.o8s.io/v1"';
  const message = `invalid value "SelectorSpread"; was invalid in version ${v1} (OrchSchedulerConfiguration is version ${v1})`;
  expect(errorsOf(() => read("v1"))).toEqual([
    expect.stringContaining(`profiles[0].plugins.preScore.enabled[0].name: ${message}`),
    expect.stringContaining(`profiles[0].plugins.score.enabled[0].name: ${message}`),
  ]);
});

test("a plugin that is not among the defaults can be enabled", () => {
  const profile = profileOf({ plugins: { multiPoint: { enabled: [{ name: "CinderLimits" }] } } });
  expect(profile.filters.at(-1)?.name).toBe("CinderLimits");
});

test("a written configuration reads back unchanged", async () => {
  const config = parse({
    leaderElection: { leaseDuration: "30s" },
    podMaxBackoffSeconds: 20,
    profiles: [
      { schedulerName: "a", percentageOfNodesToScore: 30 },
      {
        schedulerName: "b",
        pluginConfig: [{ name: "NodeResourcesFit", args: { scoringStrategy: { type: "MostAllocated" } } }],
      },
    ],
  });
  expect(parseConfig(parseConfigText(configurationText(config), "g"), schedulerConfigurationSchema, "g")).toEqual(
    config,
  );
  await writeConfiguration(join(dir, "written"), config);
  expect(await readFile(join(dir, "written"), "utf8")).toContain("leaseDuration: 30s");
});

test("a file overrides deprecated flags, and leader election flags override the file", async () => {
  const file = join(dir, "ok.yaml");
  await writeFile(
    file,
    `apiVersion: ${head.apiVersion}\nkind: ${head.kind}\nclientConnection: {orchconfig: ${join(dir, "client")}, qps: 7, contentType: application/json}\nleaderElection: {leaderElect: true, resourceName: other}\nparallelism: 4\n`,
  );
  const config = await complete([
    `--config=${file}`,
    "--orchconfig=/nowhere",
    "--orch-api-qps=99",
    "--leader-elect=false",
  ]);
  expect(config).toMatchObject({
    client: { server: "https://127.0.0.1:1" },
    rateLimit: { qps: 7, burst: 100 },
    contentTypes: undefined,
    warnings: [],
    settings: { leaderElection: { leaderElect: false, resourceName: "other" } },
  });
});

test("without a file, flags have an effect, and requests are limited only if a flag sets a limit", async () => {
  const client = `--orchconfig=${join(dir, "client")}`;
  expect(await complete([client, "--leader-elect-retry-period=1s"])).toMatchObject({
    rateLimit: undefined,
    settings: { leaderElection: { leaderElect: true, retryPeriod: 1000 } },
  });
  expect(await complete([client, "--lock-object-name=old"])).toMatchObject({
    settings: { leaderElection: { resourceName: "old" } },
  });
  expect(await complete([client, "--lock-object-name=old", "--leader-elect-resource-name=new"])).toMatchObject({
    settings: { leaderElection: { resourceName: "new" } },
  });
  expect(await complete([client, "--orch-api-qps=5"])).toMatchObject({ rateLimit: { qps: 5, burst: 100 } });
});

test.each<[string, () => Promise<string[]>, RegExp[]]>([
  [
    "a file that is not there",
    async () => ["--config=/nowhere/x"],
    [/^--config: file "\/nowhere\/x" cannot be read: .*; want a readable/],
  ],
  [
    "a list",
    async () => {
      await writeFile(join(dir, "list"), "[1]");
      return [`--config=${join(dir, "list")}`];
    },
    [/^--config: file ".*list": invalid value \[1\]; want a mapping$/],
  ],
  [
    "several errors at once",
    async () => {
      await writeFile(
        join(dir, "bad"),
        `apiVersion: ${head.apiVersion}\nkind: ${head.kind}\nx: 1\nleaderElection: {leaseDuration: soon}\n`,
      );
      return [`--config=${join(dir, "bad")}`, "--feature-gates=Nope=true", "--authentication-orchconfig=/nowhere/y"];
    },
    [
      /field x: unknown field/,
      /leaderElection\.leaseDuration: invalid value "soon"/,
      /--feature-gates/,
      /--authentication-orchconfig/,
    ],
  ],
  [
    "times that do not fit",
    async () => [`--orchconfig=${join(dir, "client")}`, "--leader-elect-lease-duration=5s"],
    [/^invalid value "5s" for flag --leader-elect-lease-duration: want more than --leader-elect-renew-deadline, .*$/],
  ],
  [
    "a client configuration that is not there",
    async () => ["--orchconfig=/nowhere/z"],
    [/--orchconfig: .*\/nowhere\/z/],
  ],
])("the configuration reports errors of %s", async (_, argv, want) => {
  const error: unknown = await complete(await argv()).catch((e: unknown) => e);
  expect(error).toBeInstanceOf(ConfigurationError);
  const text = (error as ConfigurationError).errors.join("\n");
  for (const pattern of want) expect(text).toMatch(pattern);
});
