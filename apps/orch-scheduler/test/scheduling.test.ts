import { freePort, poll, type RunningDaemon, startApiServer, type TestApiServer } from "@orchernetes/testkit";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { pageOf, startScheduler, type World, world } from "./fixture.ts";

let server: TestApiServer;
let scheduler: RunningDaemon;
let w: World;
let round = 0;
let port: number;

beforeAll(async () => {
  server = await startApiServer({ authorizationMode: "RBAC", flags: ["--disable-admission-plugins=ServiceAccount"] });
  port = await freePort();
  scheduler = await startScheduler(server, server.dir, [
    `--secure-port=${port}`,
    "--authorization-always-allow-paths=/metrics,/metrics/resources",
  ]);
}, 60_000);

afterAll(async () => {
  await scheduler?.stop();
  await server?.stop();
});

beforeEach(async () => {
  w = world(server.client(), `r${++round}`);
  await w.setUp();
});

test("a pod is bound to the best node, and its status and an event report it", async () => {
  await w.addNode("small", "1");
  await w.addNode("large", "8");
  await w.create("p", "2");
  expect(await w.nodeOf("p")).toBe("large");
  expect((await w.pod("p")).status.conditions).toMatchObject([{ type: "PodScheduled", status: "True" }]);
  expect(await w.event("p", "Scheduled")).toMatchObject({
    type: "Normal",
    message: `Successfully assigned r${round}/p to large`,
    reportingComponent: "default-scheduler",
  });
  await w.deleteNode("small");
  await w.deleteNode("large");
});

test.each<[string, (w: World) => Promise<unknown>, (w: World) => Promise<unknown>, string]>([
  [
    "a node that fits appears",
    (w) => w.addNode("n", "1"),
    (w) => w.addNode("m", "2"),
    "0/1 nodes are available: 1 Insufficient cpu.",
  ],
  [
    "a taint is removed",
    (w) => w.addNode("n", "2", { taints: [{ key: "k", value: "v", effect: "NoSchedule" }] }),
    (w) => w.patchNode("n", { spec: { taints: null } }),
    "0/1 nodes are available: 1 node(s) had untolerated taint {k: v}.",
  ],
  [
    "a node is uncordoned",
    (w) => w.addNode("n", "2", { unschedulable: true }),
    (w) => w.patchNode("n", { spec: { unschedulable: null, taints: null } }),
    "",
  ],
  [
    "a pod is deleted",
    async (w) => {
      await w.addNode("n", "2");
      await w.create("other", "1");
      await w.nodeOf("other");
    },
    (w) => w.remove("other"),
    "0/1 nodes are available: 1 Insufficient cpu.",
  ],
  [
    "a label is set",
    (w) => w.addNode("n", "2", { taints: [{ key: "k", value: "v", effect: "NoSchedule" }] }),
    (w) => w.patchNode("n", { metadata: { labels: { x: "y" } }, spec: { taints: null } }),
    "0/1 nodes are available: 1 node(s) had untolerated taint {k: v}.",
  ],
])("an unschedulable pod says why, and is bound when %s", async (_, before, change, message) => {
  await before(w);
  await w.create("p", "1500m");
  const condition = await w.unscheduled("p");
  expect(condition).toMatchObject({ reason: "Unschedulable", message: expect.stringContaining(message) });
  expect(await w.event("p", "FailedScheduling")).toMatchObject({ type: "Warning", message: condition.message });
  await change(w);
  expect(await w.nodeOf("p")).toMatch(/^[mn]$/);
  expect((await w.pod("p")).status.conditions).toMatchObject([{ type: "PodScheduled", status: "True" }]);
  for (const { metadata } of await w.list()) await w.remove(metadata.name);
  await w.deleteNode("n");
  await w.deleteNode("m").catch(() => undefined);
});

test("pods of other schedulers, gated pods and deleted pods are not scheduled", async () => {
  await w.addNode("n", "4");
  await w.create("foreign", "1", { schedulerName: "another" });
  await w.create("gated", "1", { schedulingGates: [{ name: "example.com/g" }] });
  await w.create("mine", "1");
  await w.nodeOf("mine");
  expect((await w.pod("foreign")).spec.nodeName).toBeUndefined();
  expect((await w.pod("gated")).spec.nodeName).toBeUndefined();
  await server.client().request({
    method: "PATCH",
    path: `/api/v1/namespaces/r${round}/pods/gated`,
    contentType: "application/merge-patch+json",
    body: { spec: { schedulingGates: null } },
  });
  expect(await w.nodeOf("gated")).toBe("n");
  await w.deleteNode("n");
});

test("a nomination ends when an attempt finds that there are no nodes", async () => {
  await w.create("p", "1");
  expect((await w.unscheduled("p")).message).toBe("no nodes available to schedule pods");
  const patch = (path: string, body: unknown) =>
    server.client().request({ method: "PATCH", path, contentType: "application/merge-patch+json", body });
  const path = `/api/v1/namespaces/r${round}/pods/p`;
  await patch(`${path}/status`, { status: { nominatedNodeName: "gone" } });
  // A new label is a reason for another attempt.
  await patch(path, { metadata: { labels: { again: "1" } } });
  await poll(
    { what: "the end of the nomination", timeoutMs: 30_000 },
    async () => (await w.pod("p")).status.nominatedNodeName === undefined,
  );
});

test("a pod that is created again with the same name is bound each time", async () => {
  await w.addNode("again", "1");
  for (let i = 0; i < 15; i++) {
    await w.create("p", "1");
    // Every third one is deleted right away, while its binding is under way.
    if (i % 3 !== 0) expect(await w.nodeOf("p")).toBe("again");
    await w.remove("p");
  }
  await w.create("last", "1");
  expect(await w.nodeOf("last")).toBe("again");
  await w.deleteNode("again");
});

test("a pod that terminates while it waits is not scheduled, and an event says so", async () => {
  const path = `/api/v1/namespaces/r${round}/pods`;
  const contentType = "application/merge-patch+json";
  const change = (part: object) =>
    server.client().request({ method: "PATCH", path: `${path}/kept`, contentType, body: part });
  // The recorder combines the event with an earlier one of the same reason, so there must be none.
  const spec = { containers: [{ name: "c", image: "i" }], schedulingGates: [{ name: "example.com/g" }] };
  const body = { metadata: { name: "kept", finalizers: ["example.com/f"] }, spec };
  await server.client().request({ method: "POST", path, body });
  await w.remove("kept");
  await change({ spec: { schedulingGates: null } });
  const message = `skip schedule deleting pod: r${round}/kept`;
  await poll({ what: "the event", timeoutMs: 30_000 }, async () => {
    const { items } = (await server.client().request({
      method: "GET",
      path: `/api/v1/namespaces/r${round}/events`,
      query: { fieldSelector: "involvedObject.name=kept,reason=FailedScheduling" },
    })) as { items: { message: string; type: string; action: string }[] };
    return items.find(
      (event) => event.message === message && event.type === "Warning" && event.action === "Scheduling",
    );
  });
  await w.addNode("late", "16");
  await w.create("after", "1");
  await w.nodeOf("after");
  expect((await w.pod("kept")).spec.nodeName).toBeUndefined();
  await change({ metadata: { finalizers: null } });
  await w.remove("after");
  await w.deleteNode("late");
});

const page = (path: string): Promise<string> => pageOf(port, path);

test("metrics show attempts, which pods wait and why, and the requests of pods", async () => {
  await w.addNode("metered", "2");
  await w.create("placed", "1");
  await w.create("large", "4");
  await w.create("gated", "1", { schedulingGates: [{ name: "example.com/g" }] });
  await w.nodeOf("placed");
  await w.unscheduled("large");
  const metrics = await poll({ what: "the gated pod to be counted", intervalMs: 50 }, async () => {
    const all = await page("/metrics");
    return all.includes('scheduler_pending_pods{queue="gated"} 1') && all;
  });
  const lines = metrics.split("\n");
  for (const line of [
    'scheduler_pending_pods{queue="active"} 0',
    'scheduler_unschedulable_pods{plugin="NodeResourcesFit",profile="default-scheduler"} 1',
    'scheduler_unschedulable_pods{plugin="SchedulingGates",profile="default-scheduler"} 1',
    'scheduler_scheduler_cache_size{type="nodes"} 1',
    'scheduler_goroutines{operation="binding"} 0',
  ])
    expect(lines).toContain(line);
  for (const series of [
    'scheduler_schedule_attempts_total{result="scheduled",profile="default-scheduler"}',
    'scheduler_queue_incoming_pods_total{queue="active",event="PodAdd"}',
    'scheduler_framework_extension_point_duration_seconds_count{extension_point="Bind",status="Success",profile="default-scheduler"}',
    'scheduler_framework_extension_point_duration_seconds_count{extension_point="PostFilter",status="Unschedulable",profile="default-scheduler"}',
    ...["PreEnqueue", "Reserve", "Permit", "PreBind", "PostBind"].map(
      (point) =>
        `scheduler_framework_extension_point_duration_seconds_count{extension_point="${point}",status="Success",profile="default-scheduler"}`,
    ),
    'scheduler_pod_scheduling_duration_seconds_count{attempts="1"}',
    "scheduler_scheduling_algorithm_duration_seconds_count",
    'scheduler_plugin_evaluation_total{plugin="NodeResourcesFit",extension_point="Filter",profile="default-scheduler"}',
  ])
    expect(lines.find((line) => line.startsWith(`${series} `))).toMatch(/ [1-9]\S*$/);
  // As upstream, a gated pod has not come into a queue.
  expect(metrics).not.toMatch(/scheduler_queue_incoming_pods_total\{queue="gated"/);
  const pod = `namespace="r${round}",pod="placed",node="metered",scheduler="default-scheduler",priority="0",resource="cpu",unit="cores"`;
  expect(await page("/metrics/resources")).toContain(`orch_pod_resource_request{${pod}} 1\n`);
  for (const name of ["placed", "large", "gated"]) await w.remove(name);
  await w.deleteNode("metered");
});
