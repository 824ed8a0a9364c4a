import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { poll, startApiServer, startWebhookServer, type TestApiServer, type WebhookServer } from "@orchernetes/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { PodExplanation } from "../src/explain/explanation.ts";
import type { Simulation } from "../src/offline/simulate.ts";
import { type AskedScheduler, run, startAskedScheduler } from "./commands.ts";
import { schedulerClientConfig, type World, world } from "./fixture.ts";

let server: TestApiServer;
let extender: WebhookServer;
let scheduler: AskedScheduler;
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
  scheduler = await startAskedScheduler(server, [`--config=${file}`]);
  w = world(server.client(), "extender");
  await w.setUp();
  for (const name of ["a", "b", "c"]) await w.addNode(name, "8", {}, { rack: name });
}, 60_000);

afterAll(async () => {
  await scheduler?.daemon.stop();
  await extender?.stop();
  await server?.stop();
});

const gpu = {
  containers: [{ name: "c", image: "i", resources: { requests: { cpu: "1", [GPU]: "1" }, limits: { [GPU]: "1" } } }],
};

test("an extender filters, scores and binds the pods that request its resource, and no others", async () => {
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

test("while an extender does not respond, its pods report the reason, other pods are bound, and events reactivate its pods", async () => {
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

/** The explanation once the pod waits for an event. */
const explain = (pod: string): Promise<PodExplanation> =>
  poll({ what: `an explanation of ${pod}`, timeoutMs: 30_000 }, async () => {
    const { code, out } = await run("explain", pod, "-o", "json", ...scheduler.connection);
    const explanation = code === 0 && (JSON.parse(out) as PodExplanation);
    return explanation && explanation.state.type === "queued" && explanation.state.place !== "inFlight" && explanation;
  });

test("explain names the extender that rejects nodes, and a snapshot repeats the decision without calling it", async () => {
  extender.behave({
    type: "answer",
    body: () => ({ NodeNames: [], FailedNodes: { a: "full", b: "full" }, FailedAndUnresolvableNodes: { c: "broken" } }),
  });
  await w.create("s", "1", gpu);
  expect((await w.unscheduled("s")).message).toMatch(/1 broken, 2 full/);
  const live = await explain("extender/s");
  const address = `${extender.url}/gpu`;
  expect(
    live.nodes?.groups.flatMap(({ count, refusals }) =>
      refusals.map(({ plugin, reasons }) => [count, plugin, reasons]),
    ),
  ).toEqual([
    [2, address, ["full"]],
    [1, address, ["broken"]],
  ]);
  expect(live.extenders).toMatchObject([
    { extender: address, questions: [{ verb: "filter", asked: 3, result: { type: "accepted", nodes: 0 } }] },
  ]);
  const file = join(server.dir, "extender-snapshot.json");
  expect(await run("snapshot", `--out=${file}`, ...scheduler.connection)).toMatchObject({ code: 0 });
  expect(await readFile(file, "utf8")).not.toMatch(/BEGIN CERTIFICATE|caData/);
  const asked = extender.requests.length;
  extender.behave({ type: "silent" });
  const { out } = await run("explain", "extender/s", "-o", "json", `--from=${file}`);
  const { state: _, ...offline } = JSON.parse(out) as PodExplanation;
  const { state: __, ...now } = live;
  expect(offline).toEqual(now);
  const simulated = await run("simulate", "-o", "json", `--from=${file}`);
  expect((JSON.parse(simulated.out) as Simulation).leftOut).toEqual([`extender ${address}`]);
  expect(extender.requests.length).toBe(asked);
});

test("an explanation does not block the scheduler while an extender does not respond", async () => {
  extender.behave({ type: "silent" });
  const explanation = run("explain", "extender/s", "-o", "json", ...scheduler.connection);
  await w.create("meanwhile", "1");
  expect(await w.nodeOf("meanwhile", 10_000)).toMatch(/^[abc]$/);
  const { error, nodes } = JSON.parse((await explanation).out) as PodExplanation;
  expect(error).toBe(`Post "${extender.url}/gpu/filter": no answer within 1s`);
  expect(nodes?.feasible).toBe(3);
});
