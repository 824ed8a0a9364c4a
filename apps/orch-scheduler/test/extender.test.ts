import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type RunningDaemon,
  startApiServer,
  startWebhookServer,
  type TestApiServer,
  type WebhookServer,
} from "@orchernetes/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { schedulerClientConfig, startScheduler, type World, world } from "./fixture.ts";

let server: TestApiServer;
let extender: WebhookServer;
let scheduler: RunningDaemon;
let w: World;

const GPU = "example.com/gpu";

beforeAll(async () => {
  server = await startApiServer({ authorizationMode: "RBAC", flags: ["--disable-admission-plugins=ServiceAccount"] });
  extender = await startWebhookServer({ behaviour: { type: "silent" } });
  const file = join(server.dir, "scheduler.json");
  await writeFile(
    file,
    JSON.stringify({
      apiVersion: "orchscheduler.config.o8s.io/v1beta3",
      kind: "OrchSchedulerConfiguration",
      clientConnection: { orchconfig: schedulerClientConfig(server) },
      extenders: [
        {
          urlPrefix: `${extender.url}/gpu`,
          filterVerb: "filter",
          prioritizeVerb: "prioritize",
          weight: 5,
          bindVerb: "bind",
          httpTimeout: "1s",
          enableHTTPS: true,
          tlsConfig: { caData: Buffer.from(extender.caPem).toString("base64") },
          managedResources: [{ name: GPU, ignoredByScheduler: true }],
        },
      ],
    }),
  );
  scheduler = await startScheduler(server, server.dir, [`--config=${file}`]);
  w = world(server.client(), "extender");
  await w.setUp();
  for (const name of ["a", "b", "c"]) await w.addNode(name, "8", {}, { rack: name });
}, 60_000);

afterAll(async () => {
  await scheduler?.stop();
  await extender?.stop();
  await server?.stop();
});

const gpu = {
  containers: [{ name: "c", image: "i", resources: { requests: { cpu: "1", [GPU]: "1" }, limits: { [GPU]: "1" } } }],
};

test("an extender filters, scores and binds the pods that ask for its resource, and no others", async () => {
  extender.behave({
    type: "answer",
    async body({ path, body }) {
      if (path === "/gpu/prioritize") return [{ Host: "b", Score: 10 }];
      if (path === "/gpu/bind") {
        const { PodName: name, PodNamespace: namespace, PodUID: uid, Node } = body as Record<string, string>;
        await server.client().request({
          method: "POST",
          path: `/api/v1/namespaces/${namespace}/pods/${name}/binding`,
          body: { metadata: { name, namespace, uid }, target: { kind: "Node", name: Node } },
        });
        return {};
      }
      const { Nodes } = body as { Nodes: { items: { metadata: { name: string } }[] } };
      return {
        Nodes: { items: Nodes.items.filter(({ metadata }) => metadata.name !== "a") },
        FailedNodes: { a: "no" },
      };
    },
  });
  await w.create("plain", "1");
  await w.nodeOf("plain");
  expect(extender.requests).toEqual([]);
  await w.create("p", "1", gpu);
  expect(await w.nodeOf("p")).toBe("b");
  expect(extender.requests.map(({ path }) => path)).toEqual(["/gpu/filter", "/gpu/prioritize", "/gpu/bind"]);
  // The pod as its author wrote it, and nodes with all their fields.
  expect(extender.requests[0]?.body).toMatchObject({
    Pod: { spec: { containers: [{ terminationMessagePath: expect.any(String) }] } },
    Nodes: { items: [{ status: { conditions: expect.any(Array) } }, {}, {}] },
  });
});

test("while an extender does not answer its pods report why, others are bound, and an event meanwhile wakes them", async () => {
  extender.behave({ type: "silent" });
  await w.create("q", "1", gpu);
  const { reason, message } = await w.unscheduled("q");
  expect([reason, message]).toEqual(["SchedulerError", `Post "${extender.url}/gpu/filter": no answer within 1s`]);
  await w.create("other", "1");
  await w.nodeOf("other");
  extender.behave({
    type: "answer",
    body: () => ({ Nodes: { items: [] }, FailedNodes: { a: "full", b: "full", c: "full" } }),
  });
  await w.create("r", "1", gpu);
  expect((await w.unscheduled("r")).message).toMatch(/^0\/3 nodes are available: 3 full\./);
});
