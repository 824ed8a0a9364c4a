import type { batch } from "@orchernetes/api";
import type { Client } from "@orchernetes/client";
import { poll, type TestApiServer } from "@orchernetes/testkit";
import { beforeAll, expect, test } from "vitest";
import { jobs, leases } from "../src/shared/refs.ts";
import { type TestManager, testCluster } from "./test-cluster.ts";

const cluster = testCluster("leader-migration");
let server: TestApiServer;
let admin: Client;
/** Two managers with main locks of their own, which both may run the job controller. */
let first: TestManager;
let second: TestManager;

const configuration = (component: string) =>
  cluster.file(
    `${component.replace("*", "all")}.json`,
    JSON.stringify({
      apiVersion: "controllermanager.config.o8s.io/v1",
      kind: "LeaderMigrationConfiguration",
      leaderName: "moving",
      controllerLeaders: [{ name: "job", component }],
    }),
  );

const startManager = (name: string, component: string) =>
  cluster.runManager(
    server,
    `--leader-elect-resource-name=${name}`,
    "--leader-elect=true",
    "--leader-elect-retry-period=200ms",
    "--controllers=job,podgc",
    "--enable-leader-migration",
    `--leader-migration-config=${configuration(component)}`,
  );

const holderOf = async (lease: string): Promise<string> =>
  (await admin.resource(leases).namespace("orch-system").get(lease)).spec?.holderIdentity ?? "";
/** More lines than a manager writes here. */
const wholeLog = 100_000;
/** A manager logs what it does with a lease after it has it. */
const logs = ({ log }: TestManager, text: string): Promise<boolean> =>
  poll({ what: `the line ${JSON.stringify(text)}`, timeoutMs: 30_000 }, () => log(wholeLog).includes(text));
const held = (lease: string): Promise<string> =>
  poll({ what: `lease ${lease} to be held`, timeoutMs: 30_000 }, async () => (await holderOf(lease)) || undefined);

/** Creates a job, and resolves when a controller has made a pod of it. */
async function jobGetsPod(name: string): Promise<void> {
  const container = { name: "c", image: "i" };
  const spec = { template: { spec: { restartPolicy: "Never", containers: [container] } } };
  const own = admin.resource(jobs).namespace("default");
  await own.create({ metadata: { name }, spec, status: {} } as unknown as batch.Job);
  await poll(
    { what: `a pod of job ${name}`, timeoutMs: 30_000 },
    async () => ((await own.get(name)).status.active ?? 0) > 0,
  );
}

beforeAll(async () => {
  server = await cluster.startServer({ flags: ["--disable-admission-plugins=ServiceAccount"] });
  admin = server.client();
  first = await startManager("first", "*");
}, 90_000);

test("the manager that holds both locks runs the controller that moves", async () => {
  expect(await held("moving")).toBe(await held("first"));
  await jobGetsPod("by-the-first");
  await logs(first, "Leader migration: starting the migrated controllers");
});

test("another manager leads its own controllers meanwhile, and takes over when the first one stops", async () => {
  second = await startManager("second", "*");
  const own = await held("second");
  expect(await holderOf("moving")).toBe(await holderOf("first"));
  await logs(second, "Leader migration: starting the main controllers");
  expect(second.log(wholeLog)).not.toContain("starting the migrated controllers");
  await first.stop();
  await poll({ what: "the lock to move", timeoutMs: 30_000 }, async () => (await holderOf("moving")) === own);
  await jobGetsPod("by-the-second");
}, 60_000);

test("a manager that lost the controller to another one holds the lock without it", async () => {
  await second.stop();
  const third = await startManager("third", "cloud-controller-manager");
  const own = await held("third");
  // A manager that stops on a busy machine may not give the lock back: then it expires.
  await poll({ what: "the lock to move", timeoutMs: 30_000 }, async () => (await holderOf("moving")) === own);
  await logs(third, 'controller="podgc"');
  expect(third.log(wholeLog)).not.toContain('controller="job"');
}, 60_000);
