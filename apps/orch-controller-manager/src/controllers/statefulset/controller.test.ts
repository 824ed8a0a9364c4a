import type { FakeApiServer } from "@orchernetes/client/testing";
import { beforeEach, expect, test, vi } from "vitest";
import { template } from "../../testing/builders.ts";
import { serverForTest, startControllers } from "../../testing/start-controller.ts";
import { statefulSetController } from "./controller.ts";

const setsPath = "/apis/apps/v1/statefulsets";
const podsPath = "/api/v1/pods";
let server: FakeApiServer;
beforeEach(async () => {
  server = await serverForTest();
  server.prepare = (collection, object) =>
    collection === podsPath ? { ...object, status: { phase: "Pending" } } : object;
});

const putSet = (spec: object): unknown =>
  server.put(setsPath, {
    metadata: { name: "s", namespace: "ns", generation: 1 },
    spec: {
      serviceName: "svc",
      replicas: 1,
      selector: { matchLabels: { app: "x" } },
      template: template(),
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
      ...spec,
    },
    status: {},
  });
const names = (): readonly unknown[] => server.objects(podsPath).map(({ metadata }) => metadata.name);

test("pods that are managed in parallel are created in parallel", async () => {
  const asked: unknown[] = [];
  server.hook = ({ method, path, body }) => {
    if (method !== "POST" || !path.endsWith("/pods")) return undefined;
    asked.push((JSON.parse(body) as { readonly metadata: { readonly name: string } }).metadata.name);
    // Groups of 1, 2 and 4: the other one of the second group is asked for although this one fails.
    return asked.length === 2 ? "drop" : undefined;
  };
  putSet({ replicas: 7, podManagementPolicy: "Parallel" });
  startControllers(server, [statefulSetController]);
  await vi.waitFor(() => expect(names()).toHaveLength(7), { timeout: 20_000 });
  expect(asked.slice(0, 3)).toEqual(["s-0", "s-1", "s-2"]);
});

test("a removed label of a pod and a deleted claim are restored", async () => {
  putSet({ volumeClaimTemplates: [{ metadata: { name: "data" }, spec: { resources: {} } }] });
  startControllers(server, [statefulSetController]);
  await vi.waitFor(() => expect(names()).toEqual(["s-0"]), { timeout: 20_000 });
  const [made] = server.objects(podsPath);
  if (made === undefined) throw new Error("not created");
  server.remove("/api/v1/persistentvolumeclaims", "ns/data-s-0");
  const { labels } = made.metadata as { labels?: Record<string, string> };
  const { "statefulset.orchernetes.io/pod-name": _, ...others } = labels ?? {};
  server.put(podsPath, {
    ...made,
    metadata: { ...made.metadata, labels: others },
    status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
  });
  await vi.waitFor(
    () => {
      expect(server.objects("/api/v1/persistentvolumeclaims")).toHaveLength(1);
      expect(server.objects(podsPath)[0]?.metadata.labels).toMatchObject({
        "statefulset.orchernetes.io/pod-name": "s-0",
      });
    },
    { timeout: 20_000 },
  );
});
