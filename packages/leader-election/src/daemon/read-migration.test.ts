import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NamedFiles } from "@orchernetes/component";
import { afterAll, expect, test } from "vitest";
import { controllerLocks } from "./controller-locks.ts";
import { type MigrationSection, readMigration } from "./read-migration.ts";

const dir = mkdtempSync(join(tmpdir(), "migration-"));
afterAll(() => rmSync(dir, { recursive: true }));
const path = join(dir, "migration.yaml");
const head = { apiVersion: "controllermanager.config.o8s.io/v1", kind: "LeaderMigrationConfiguration" };
const none = { leaderName: "", resourceLock: "", controllerLeaders: [] };

const section = (more: Partial<MigrationSection> = {}): MigrationSection => ({
  LeaderElection: {
    leaderElect: true,
    leaseDuration: 15_000,
    renewDeadline: 10_000,
    retryPeriod: 2000,
    resourceLock: "endpointsleases",
    resourceName: "orch-controller-manager",
    resourceNamespace: "ns",
  },
  LeaderMigrationEnabled: true,
  LeaderMigration: none,
  ...more,
});

async function read(generic: MigrationSection | undefined, document?: object) {
  if (document !== undefined) writeFileSync(path, JSON.stringify(document));
  const files = new NamedFiles();
  const result = await readMigration({
    component: "orch-controller-manager",
    flags: { "leader-migration-config": document === undefined ? "" : path },
    generic,
    origin: (field) => `--config: file "/c", field ${field}`,
    files,
  });
  return { ...result, errors: files.errors };
}

test("a controller has the lock of the migration, none, or the main one", () => {
  const controllerLeaders = [
    { name: "all", component: "*" },
    { name: "ours", component: "orch-controller-manager" },
    { name: "theirs", component: "cloud-controller-manager" },
    { name: "twice", component: "*" },
    { name: "twice", component: "cloud-controller-manager" },
  ];
  const lockOf = controllerLocks({ controllerLeaders }, "orch-controller-manager");
  expect(["all", "ours", "theirs", "twice", "unnamed", "constructor"].map(lockOf)).toEqual([
    "migration",
    "migration",
    "none",
    "none",
    "main",
    "main",
  ]);
});

test("without a configuration the cloud controllers move; the times are those of the main lock", async () => {
  const { migration, errors, warnings } = await read(section());
  expect(migration?.election).toEqual({
    lock: "leases",
    namespace: "ns",
    name: "cloud-provider-extraction-migration",
    leaseDurationMs: 15_000,
    renewDeadlineMs: 10_000,
    retryPeriodMs: 2000,
  });
  expect(["route", "service", "cloud-node-lifecycle", "job"].map((name) => migration?.lockOf(name))).toEqual([
    "migration",
    "migration",
    "migration",
    "main",
  ]);
  expect([errors, warnings]).toEqual([[], []]);
});

test.each(["v1alpha1", "v1beta1", "v1"])("the file of version %s wins over the configuration", async (version) => {
  const document = {
    ...head,
    apiVersion: `controllermanager.config.o8s.io/${version}`,
    leaderName: "of-the-file",
    controllerLeaders: [{ name: "job" }],
  };
  const LeaderMigration = { ...none, leaderName: "of-the-configuration" };
  const { migration, errors } = await read(section({ LeaderMigration }), document);
  expect([migration?.election.name, migration?.lockOf("job"), errors]).toEqual(["of-the-file", "migration", []]);
  expect((await read(section({ LeaderMigration }))).migration?.election.name).toBe("of-the-configuration");
});

test.each<[string, MigrationSection | undefined, object | undefined, readonly RegExp[]]>([
  [
    "a file of another kind, without a lock",
    section(),
    { ...head, kind: "X", controllerLeaders: [{}] },
    [/field kind: invalid value "X"/, /field leaderName: missing/, /field controllerLeaders\[0\].name: missing/],
  ],
  [
    "a file that is not used, too",
    section({ LeaderMigrationEnabled: false }),
    { ...head, controllerLeaders: [] },
    [/^--leader-migration-config: ".*migration.yaml", field leaderName: missing/],
  ],
  ["a file beside another error", undefined, { ...head, controllerLeaders: [] }, [/field leaderName: missing/]],
  [
    "a lock that was removed",
    section(),
    { ...head, leaderName: "a", resourceLock: "endpoints", controllerLeaders: [] },
    [/^--leader-migration-config: ".*", field resourceLock: invalid value "endpoints"; .*want "leases"$/],
  ],
  [
    "fields of the configuration",
    section({ LeaderMigration: { ...none, resourceLock: "endpoints" } }),
    undefined,
    [
      /^--config: file "\/c", field Generic.LeaderMigration.leaderName: missing/,
      /^--config: file "\/c", field Generic.LeaderMigration.resourceLock: invalid value "endpoints"/,
    ],
  ],
])("errors of %s are told", async (_, generic, document, wanted) => {
  const { migration, errors } = await read(generic, document);
  expect(migration).toBeUndefined();
  expect(errors).toEqual(wanted.map((want) => expect.stringMatching(want)));
});

test("what has no effect is said", async () => {
  const valid = { ...head, leaderName: "a", controllerLeaders: [] };
  const unused = await read(section({ LeaderMigrationEnabled: false }), valid);
  expect(unused.warnings).toEqual(["flag --leader-migration-config has no effect without --enable-leader-migration"]);
  const { LeaderElection } = section();
  const alone = await read(section({ LeaderElection: { ...LeaderElection, leaderElect: false } }));
  expect([alone.migration, alone.warnings]).toEqual([
    undefined,
    ["leader migration has no effect without leader election"],
  ]);
});
