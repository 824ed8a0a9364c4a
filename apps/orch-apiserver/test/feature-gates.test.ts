import { join } from "node:path";
import { startApiServer, type TestApiServer } from "@orchernetes/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { call } from "./support.ts";

let server: TestApiServer;
beforeAll(async () => {
  server = await startApiServer({
    store: "embedded",
    flags: ["--feature-gates=PDBUnhealthyPodEvictionPolicy=true,AllAlpha=false,ExecProbeTimeout=true"],
  });
}, 60_000);
afterAll(() => server.stop());

const budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
const budget = {
  metadata: { name: "b" },
  spec: { minAvailable: 1, selector: { matchLabels: { a: "b" } }, unhealthyPodEvictionPolicy: "AlwaysAllow" },
};
const policyOf = (json: unknown) =>
  (json as { spec: { unhealthyPodEvictionPolicy?: string } }).spec.unhealthyPodEvictionPolicy;

test("a pod's fields of features that are off are dropped", async () => {
  await call(server, "POST", "/api/v1/namespaces/default/serviceaccounts", { body: { metadata: { name: "default" } } });
  const { status, json } = await call(server, "POST", "/api/v1/namespaces/default/pods", {
    body: {
      metadata: { name: "p" },
      spec: { hostUsers: false, containers: [{ name: "c", image: "localhost/pause:1" }] },
    },
  });
  expect(status).toBe(201);
  expect(json.spec).not.toHaveProperty("hostUsers");
});

/** The conditions of a pod on a node after its eviction. */
async function evicted(api: TestApiServer, name: string): Promise<unknown> {
  const pods = "/api/v1/namespaces/default/pods";
  const spec = { nodeName: "n", containers: [{ name: "c", image: "localhost/pause:1" }] };
  await call(api, "POST", pods, { body: { metadata: { name }, spec } });
  const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name } };
  const { status } = await call(api, "POST", `${pods}/${name}/eviction`, { body: eviction });
  expect(status).toBe(201);
  const { json } = await call(api, "GET", `${pods}/${name}`);
  expect(json.metadata).toHaveProperty("deletionTimestamp");
  return json.status?.conditions;
}

test("an eviction records its reason in the pod", async () => {
  expect(await evicted(server, "evicted")).toEqual([
    {
      type: "DisruptionTarget",
      status: "True",
      reason: "EvictionByEvictionAPI",
      message: "Eviction API: evicting",
      lastTransitionTime: expect.stringMatching(/Z$/),
    },
  ]);
});

test("naming a finished feature warns", () => {
  expect(server.log(200)).toContain("Setting GA feature gate ExecProbeTimeout=true. It will be removed");
});

test("switched off, a feature's fields stay where they are stored, and come nowhere else", async () => {
  const made = await call(server, "POST", budgets, { body: budget });
  expect(policyOf(made.json)).toBe("AlwaysAllow");
  await server.kill9();

  const restarted = await startApiServer({
    flags: [
      `--embedded-store-path=${join(server.dir, "store")}`,
      "--feature-gates=PDBUnhealthyPodEvictionPolicy=false,PodDisruptionConditions=false",
    ],
  });
  try {
    const headers = { "content-type": "application/merge-patch+json" };
    const updated = await call(restarted, "PATCH", `${budgets}/b`, {
      body: { spec: { unhealthyPodEvictionPolicy: "IfHealthyBudget" } },
      headers,
    });
    const other = { ...budget, metadata: { name: "c" } };
    const second = await call(restarted, "POST", budgets, { body: other });
    expect([policyOf(updated.json), second.status, policyOf(second.json)]).toEqual(["IfHealthyBudget", 201, undefined]);
    const again = await call(restarted, "PUT", `${budgets}/c`, {
      body: { ...other, metadata: (second.json as { metadata: unknown }).metadata },
    });
    expect([again.status, policyOf(again.json)]).toEqual([200, undefined]);
    expect(await evicted(restarted, "silent")).toBeUndefined();
  } finally {
    await restarted.stop();
  }
}, 60_000);
