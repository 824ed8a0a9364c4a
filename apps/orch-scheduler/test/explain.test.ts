import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { poll, startApiServer, type TestApiServer } from "@orchernetes/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { PodExplanation } from "../src/explain/explanation.ts";
import type { Simulation } from "../src/offline/simulate.ts";
import { type AskedScheduler, run, startAskedScheduler } from "./commands.ts";
import { world } from "./fixture.ts";

let server: TestApiServer;
let scheduler: AskedScheduler | undefined;
let connection: readonly string[];
let url: string;

beforeAll(async () => {
  server = await startApiServer({ authorizationMode: "RBAC", flags: ["--disable-admission-plugins=ServiceAccount"] });
  scheduler = await startAskedScheduler(server);
  ({ url, connection } = scheduler);
  const w = world(server.client(), "e");
  await w.setUp();
  await w.addNode("small", "1");
  await w.addNode("tainted", "8", { taints: [{ key: "k", value: "v", effect: "NoSchedule" }] });
  await w.create("big", "2", {
    containers: [
      {
        name: "c",
        image: "i",
        env: [{ name: "PASSWORD", value: "hunter2" }],
        resources: { requests: { cpu: "2" } },
      },
    ],
  });
  await w.unscheduled("big");
}, 90_000);

afterAll(async () => {
  await scheduler?.daemon.stop();
  await server?.stop();
});

/** The explanation once the scheduler knows the pod. */
const explain = (pod: string): Promise<PodExplanation> =>
  poll({ what: `an explanation of ${pod}`, timeoutMs: 30_000 }, async () => {
    const { code, out } = await run("explain", pod, "-o", "json", ...connection);
    return code === 0 && (JSON.parse(out) as PodExplanation);
  });

test("explain says for each node what the pod needs and what the node has", async () => {
  const explanation = await explain("e/big");
  expect(explanation).toMatchObject({
    pod: { namespace: "e", name: "big", schedulerName: "default-scheduler" },
    state: { type: "queued" },
    lastAttempt: { reason: "Unschedulable", message: expect.stringContaining("Insufficient cpu") },
    decision: { type: "unschedulable" },
    nodes: {
      total: 2,
      feasible: 0,
      nearest: [
        {
          node: "small",
          refusals: [
            {
              plugin: "NodeResourcesFit",
              shortfalls: [{ what: "cpu", needed: "2", available: "1", missing: "1", share: 0.5 }],
            },
          ],
        },
        {
          node: "tainted",
          refusals: [{ plugin: "TaintToleration", shortfalls: [{ available: "k=v:NoSchedule" }] }],
        },
      ],
    },
    preemption: [{ plugin: "DefaultPreemption", type: "none" }],
  });
  expect(explanation.wakes?.map(({ event }) => event)).toEqual([
    "NodeAdded",
    "NodeAllocatable",
    "NodeTaints",
    "PodDeleted",
  ]);
  const { out } = await run("explain", "e/big", ...connection);
  expect(out).toContain("NodeResourcesFit: cpu: needs 2, has 1, lacks 1");
});

test("a snapshot repeats the decision, and has no secrets", async () => {
  const file = join(server.dir, "snapshot.json");
  expect(await run("snapshot", `--out=${file}`, ...connection)).toMatchObject({ code: 0 });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, "utf8")).not.toMatch(/hunter2|PASSWORD/);
  const live = await explain("e/big");
  const { out } = await run("explain", "e/big", "-o", "json", `--from=${file}`);
  const { state: _, ...offline } = JSON.parse(out) as PodExplanation;
  const { state: __, ...now } = live;
  expect(offline).toEqual(now);
  expect(await run("snapshot", `--out=${file}`, ...connection)).toMatchObject({
    code: 1,
    errors: expect.stringContaining("the file exists; want a new one"),
  });
});

test("simulate says on which nodes the pods would be with more nodes", async () => {
  const file = join(server.dir, "simulated.json");
  await run("snapshot", `--out=${file}`, ...connection);
  const manifest = join(server.dir, "pod.yaml");
  writeFileSync(
    manifest,
    "apiVersion: v1\nkind: Pod\nmetadata: {name: what-if}\nspec: {containers: [{name: c, image: i, resources: {limits: {cpu: 900m}}}]}\n",
  );
  const simulate = async (...args: string[]): Promise<Simulation> => {
    const { out, errors } = await run("simulate", `--from=${file}`, "-o", "json", ...args);
    expect(errors).toBe("");
    return JSON.parse(out) as Simulation;
  };
  expect((await simulate()).pods).toMatchObject([{ pod: "e/big", type: "unschedulable" }]);
  const added = await simulate(`--pod=${manifest}`, "--replicas=3", "--add-nodes=2", "--like=small");
  expect(added.pods.map((pod) => pod.type === "node" && pod.node).sort()).toEqual([
    "small",
    "small-simulated-1",
    "small-simulated-2",
  ]);
  expect(await run("simulate", `--from=${manifest}`)).toMatchObject({
    code: 1,
    errors: expect.stringContaining("want the JSON"),
  });
});

test.each([
  ["pod=x", 400],
  ["", 400],
  ["pod=e/big&pod=e/big", 400],
  ["pod=e/big&output=xml", 400],
  [`pod=e/${"b".repeat(5000)}`, 400],
  ["pod=e/none", 404],
])("the path rejects %s with %i", async (query, status) => {
  const token = server.token;
  expect(await ask(`/debug/explain?${query}`, { authorization: `Bearer ${token}` })).toBe(status);
});

test.each([
  ["e/none", 'pod "e/none" not found among the pods that have not terminated'],
  ["none", 'parameter pod: found "none"; want NAMESPACE/NAME once'],
])("the command shows why the scheduler cannot explain pod %s", async (pod, message) => {
  expect(await run("explain", pod, ...connection)).toMatchObject({ code: 1, errors: expect.stringContaining(message) });
});

test("the paths are read-only and need authorization", async () => {
  for (const path of ["/debug/explain?pod=e/big", "/debug/snapshot"]) {
    expect(await ask(path, {})).toBe(403);
    expect(await ask(path, { authorization: `Bearer ${server.token}` }, "POST")).toBe(405);
  }
});

test("a command needs credentials and a server whose certificate it can verify", async () => {
  expect(await run("explain", "e/big", `--server=${url}`)).toMatchObject({
    code: 1,
    errors: expect.stringContaining("--orchconfig"),
  });
  const untrusted = [`--server=${url}`, `--orchconfig=${server.clientConfig}`];
  expect(await run("explain", "e/big", ...untrusted)).toMatchObject({
    code: 1,
    errors: expect.stringContaining("cert"),
  });
  expect(await run("explain", "e/big", ...untrusted, "--insecure-skip-tls-verify")).toMatchObject({
    code: 1,
    errors: expect.stringContaining("not sent to a server that is not verified"),
  });
});

async function ask(path: string, headers: Record<string, string>, method = "GET"): Promise<number> {
  const { Agent, request } = await import("node:https");
  const agent = new Agent({ ca: readFileSync(join(server.dir, "orch-scheduler.crt")) });
  return new Promise((resolve, reject) => {
    request(new URL(path, url), { agent, headers, method }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on("error", reject)
      .end();
  });
}
