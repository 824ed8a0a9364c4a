import { startApiServer, type TestApiServer } from "@orchernetes/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { call, type Json } from "./support.ts";

let server: TestApiServer;
beforeAll(async () => {
  server = await startApiServer({ store: "embedded", flags: [] });
}, 60_000);
afterAll(() => server.stop());

const scalers = (version: string, name: string) =>
  `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers/${name}`;
const target = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };

async function apply(version: string, name: string, manager: string, spec: object): Promise<Json> {
  const { status, json } = await call(server, "PATCH", `${scalers(version, name)}?fieldManager=${manager}&force=true`, {
    headers: { "content-type": "application/apply-patch+yaml" },
    body: {
      apiVersion: `autoscaling/${version}`,
      kind: "HorizontalPodAutoscaler",
      metadata: { name },
      spec: { scaleTargetRef: target, maxReplicas: 5, ...spec },
    },
  });
  expect([status, json]).toEqual([expect.toBeOneOf([200, 201]), json]);
  return json;
}

const cpu = (averageUtilization: number) => ({
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization } },
});
const memory = {
  type: "Resource",
  resource: { name: "memory", target: { type: "Utilization", averageUtilization: 60 } },
};

test("who applied at one version gives up at another what it leaves out", async () => {
  await apply("v1", "first", "one", { minReplicas: 2, targetCPUUtilizationPercentage: 50 });
  const second = await apply("v2", "first", "one", { metrics: [memory] });
  expect(second.spec?.metrics).toEqual([memory]);
  expect(second.spec?.minReplicas).toBe(1);
  expect(second.metadata?.managedFields).toMatchObject([{ apiVersion: "autoscaling/v2" }]);
  const third = await apply("v1", "first", "one", {});
  // The default of those without metrics.
  expect(third.spec?.targetCPUUtilizationPercentage).toBe(80);
  const shown = (await call(server, "GET", scalers("v2", "first"))).json;
  expect(shown.spec?.metrics).toEqual([cpu(80)]);
});

test("what another manager applied at another version stays", async () => {
  await apply("v1", "shared", "one", { minReplicas: 2, targetCPUUtilizationPercentage: 50 });
  await apply("v2", "shared", "two", { minReplicas: 2, metrics: [cpu(50)] });
  const left = await apply("v1", "shared", "one", {});
  expect(left.spec).toMatchObject({ minReplicas: 2, targetCPUUtilizationPercentage: 50 });
  const gone = await apply("v1", "shared", "two", {});
  expect(gone.spec).toMatchObject({ minReplicas: 1, targetCPUUtilizationPercentage: 80 });
});
