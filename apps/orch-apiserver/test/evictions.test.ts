import { startApiServer, type TestApiServer } from "@orchernetes/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { call } from "./support.ts";

const pods = "/api/v1/namespaces/default/pods";
const budget = "/apis/policy/v1/namespaces/default/poddisruptionbudgets/guard";
const mergePatch = { "content-type": "application/merge-patch+json" };

let server: TestApiServer;
beforeAll(async () => {
  server = await startApiServer();
  const account = { metadata: { name: "default" } };
  await call(server, "POST", "/api/v1/namespaces/default/serviceaccounts", { body: account });
  const spec = { minAvailable: 1, selector: { matchLabels: { app: "web" } } };
  await call(server, "POST", budget.slice(0, -"/guard".length), { body: { metadata: { name: "guard" }, spec } });
});
afterAll(() => server.stop());

/** A running pod behind the budget, which allows two disruptions. */
async function runPod(name: string): Promise<void> {
  const metadata = { name, labels: { app: "web" } };
  const spec = { nodeName: "n1", containers: [{ name: "c", image: "i" }] };
  expect((await call(server, "POST", pods, { body: { metadata, spec } })).status).toBe(201);
  const running = { status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] } };
  await call(server, "PATCH", `${pods}/${name}/status`, { body: running, headers: mergePatch });
  const counts = {
    disruptionsAllowed: 2,
    currentHealthy: 3,
    desiredHealthy: 1,
    expectedPods: 3,
    observedGeneration: 1,
  };
  const status = { ...counts, disruptedPods: null };
  await call(server, "PATCH", `${budget}/status`, { body: { status }, headers: mergePatch });
}

const evict = (name: string, more: object, query = "") =>
  call(server, "POST", `${pods}/${name}/eviction${query}`, { body: { kind: "Eviction", metadata: { name }, ...more } });

const allowed = async () => Number((await call(server, "GET", budget)).json.status?.disruptionsAllowed);

test.each([
  ["in the query", {}, "?dryRun=All"],
  ["in the body", { deleteOptions: { dryRun: ["All"] } }, ""],
])("a dry run %s spends nothing", async (where, more, query) => {
  const name = `dry-${where.split(" ").at(-1)}`;
  await runPod(name);
  const { status } = await evict(name, { apiVersion: "policy/v1", ...more }, query);
  expect(status).toBe(201);
  expect(await allowed()).toBe(2);
  expect((await call(server, "GET", `${pods}/${name}`)).json.metadata?.deletionTimestamp).toBeUndefined();
});

test.each(["policy/v1", "policy/v1beta1"])("takes an Eviction of %s", async (apiVersion) => {
  const name = apiVersion.replace("/", "-");
  await runPod(name);
  expect((await evict(name, { apiVersion })).status).toBe(201);
  expect(await allowed()).toBe(1);
  expect((await call(server, "GET", `${pods}/${name}`)).json.metadata?.deletionTimestamp).toBeDefined();
});

test("takes no Eviction of another version", async () => {
  await runPod("other");
  expect((await evict("other", { apiVersion: "policy/v2" })).status).toBe(400);
});
