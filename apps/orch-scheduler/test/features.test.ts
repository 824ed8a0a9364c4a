import { writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { poll, type RunningDaemon, startApiServer, type TestApiServer } from "@orchernetes/testkit";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { schedulerClientConfig, startScheduler, type World, world } from "./fixture.ts";

let server: TestApiServer;
let scheduler: RunningDaemon;
let w: World;
let round = 0;

beforeAll(async () => {
  server = await startApiServer({ authorizationMode: "RBAC", flags: ["--disable-admission-plugins=ServiceAccount"] });
  const file = join(server.dir, "scheduler.yaml");
  await writeFile(
    file,
    JSON.stringify({
      apiVersion: "orchscheduler.config.o8s.io/v1",
      kind: "OrchSchedulerConfiguration",
      clientConnection: { orchconfig: schedulerClientConfig(server) },
      profiles: [
        { schedulerName: "default-scheduler" },
        {
          schedulerName: "packing",
          pluginConfig: [{ name: "NodeResourcesFit", args: { scoringStrategy: { type: "MostAllocated" } } }],
          plugins: { score: { disabled: [{ name: "*" }], enabled: [{ name: "NodeResourcesFit" }] } },
        },
      ],
    }),
  );
  scheduler = await startScheduler(server, server.dir, [`--config=${file}`]);
  for (const [name, value] of [["high", 1000]] as const)
    await server.client().request({
      method: "POST",
      path: "/apis/scheduling.o8s.io/v1/priorityclasses",
      body: { metadata: { name }, value },
    });
}, 60_000);

afterAll(async () => {
  await scheduler?.stop();
  await server?.stop();
});

beforeEach(async () => {
  w = world(server.client(), `f${++round}`);
  await w.setUp();
});

test("a pod of higher priority preempts one of lower priority", async () => {
  await w.addNode("pre", "2", {}, { only: "pre" });
  const nodeSelector = { only: "pre" };
  await w.create("victim", "2", { nodeSelector, terminationGracePeriodSeconds: 1 });
  await w.nodeOf("victim");
  await w.create("urgent", "1", { nodeSelector, priorityClassName: "high" });
  const leaving = await poll({ what: "the victim to leave", intervalMs: 20 }, async () => {
    const pod = await w.pod("victim");
    return pod.metadata.deletionTimestamp !== undefined && pod;
  });
  expect(leaving.status.conditions).toContainEqual(
    expect.objectContaining({ type: "DisruptionTarget", status: "True", reason: "PreemptionByScheduler" }),
  );
  const urgent = await poll({ what: "the nomination", intervalMs: 20 }, async () => {
    const pod = await w.pod("urgent");
    return pod.status.nominatedNodeName !== undefined && pod;
  });
  expect(urgent.status.nominatedNodeName).toBe("pre");
  expect(await w.event("victim", "Preempted")).toMatchObject({ message: "Preempted by a pod on node pre" });
  // What wants the room meanwhile must leave it to the pod that it was made for.
  await w.create("sneaky", "2", { nodeSelector });
  // The node agent would end it.
  await w.remove("victim");
  expect(await w.nodeOf("urgent")).toBe("pre");
  expect((await w.unscheduled("sneaky")).message).toContain("Insufficient cpu");
}, 60_000);

test("a pod whose victim cannot be evicted is not nominated, and others get the room that was kept for it", async () => {
  await w.addNode("kept", "2", {}, { only: "kept" });
  const nodeSelector = { only: "kept" };
  await w.create("victim", "1", { nodeSelector });
  await w.nodeOf("victim");
  // A webhook that does not answer: the eviction fails after its timeout.
  const silent = createServer();
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const { port } = silent.address() as AddressInfo;
  const path = "/apis/admissionregistration.o8s.io/v1/validatingwebhookconfigurations";
  const body = {
    metadata: { name: "no-deletes" },
    webhooks: [
      {
        name: "no-deletes.example.com",
        clientConfig: { url: `https://127.0.0.1:${port}/` },
        rules: [{ operations: ["DELETE"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods"] }],
        timeoutSeconds: 3,
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
      },
    ],
  };
  await server.client().request({ method: "POST", path, body });
  try {
    await w.create("urgent", "2", { nodeSelector, priorityClassName: "high" });
    await poll(
      { what: "the nomination", intervalMs: 20 },
      async () => (await w.pod("urgent")).status.nominatedNodeName,
    );
    await w.create("small", "1", { nodeSelector });
    expect((await w.unscheduled("small")).message).toContain("Insufficient cpu");
    await poll({ what: "the nomination to end", intervalMs: 20 }, async () => {
      const { status } = await w.pod("urgent");
      return status.nominatedNodeName === undefined;
    });
    expect(scheduler.log()).toContain("Evicting a pod failed");
    expect(await w.nodeOf("small")).toBe("kept");
  } finally {
    await server.client().request({ method: "DELETE", path: `${path}/no-deletes` });
    silent.close();
  }
}, 60_000);

test("a preemption without victims is reported", async () => {
  await w.addNode("full", "1", {}, { only: "full" });
  await w.create("p", "2", { nodeSelector: { only: "full" } });
  expect((await w.unscheduled("p")).message).toMatch(
    /^0\/\d+ nodes are available: 1 Insufficient cpu(, \d+ node\(s\) didn't match Pod's node affinity\/selector)?\. preemption: 0\/\d+ nodes are available: 1 No preemption victims found for incoming pod(, \d+ Preemption is not helpful for scheduling)?\.\.$/,
  );
});

test("spread constraints, affinity, anti-affinity and profiles have an effect", async () => {
  for (const [name, zone] of [
    ["s1", "1"],
    ["s2", "1"],
    ["s3", "2"],
    ["s4", "2"],
  ] as const)
    await w.addNode(name, "4", {}, { zone, only: "spread" });
  const nodeSelector = { only: "spread" };
  const labelSelector = { matchLabels: { app: "x" } };
  const topologySpreadConstraints = [
    { maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule" as const, labelSelector },
    { maxSkew: 1, topologyKey: "orchernetes.io/hostname", whenUnsatisfiable: "DoNotSchedule" as const, labelSelector },
  ];
  const names = ["p0", "p1", "p2", "p3"];
  for (const name of names) await w.create(name, "100m", { nodeSelector, topologySpreadConstraints }, { app: "x" });
  expect((await Promise.all(names.map((name) => w.nodeOf(name)))).sort()).toEqual(["s1", "s2", "s3", "s4"]);

  const term = { topologyKey: "orchernetes.io/hostname", labelSelector: { matchLabels: { app: "lone" } } };
  const podAntiAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [term] };
  for (let i = 0; i < 5; i++)
    await w.create(`lone${i}`, "100m", { nodeSelector, affinity: { podAntiAffinity } }, { app: "lone" });
  const bound = await poll({ what: "four of five", intervalMs: 50 }, async () => {
    const pods = (await w.list()).filter(({ metadata }) => metadata.labels?.app === "lone");
    const placed = pods.filter(({ spec }) => spec.nodeName);
    return placed.length === 4 && new Set(placed.map(({ spec }) => spec.nodeName)).size === 4 && pods;
  });
  const left = bound.find(({ spec }) => !spec.nodeName)?.metadata.name ?? "";
  expect((await w.unscheduled(left)).message).toContain("node(s) didn't match pod anti-affinity rules");
  const moved = bound.find(({ spec }) => spec.nodeName);
  await w.remove(moved?.metadata.name ?? "");
  expect(await w.nodeOf(left)).toBe(moved?.spec.nodeName);

  for (const name of ["k0", "k1", "k2"])
    await w.create(name, "1", { nodeSelector, schedulerName: "packing" }, { app: "packed" });
  const packed = await Promise.all(["k0", "k1", "k2"].map((name) => w.nodeOf(name)));
  expect(new Set(packed).size).toBe(1);
  expect(await w.event("k0", "Scheduled")).toMatchObject({ reportingComponent: "packing" });
}, 40_000);

test("a pod waits for its claim, and is bound to a node that can access the volume", async () => {
  await w.addNode("v1", "2", {}, { zone: "v1", only: "volume" });
  await w.addNode("v2", "2", {}, { zone: "v2", only: "volume" });
  const volumes = [{ name: "v", persistentVolumeClaim: { claimName: "c" } }];
  await w.create("p", "1", { nodeSelector: { only: "volume" }, volumes });
  expect((await w.unscheduled("p")).message).toContain('persistentvolumeclaim "c" not found');
  const client = server.client();
  await client.request({
    method: "POST",
    path: "/api/v1/persistentvolumes",
    body: {
      metadata: { name: "pv" },
      spec: {
        capacity: { storage: "1Gi" },
        accessModes: ["ReadWriteOnce"],
        hostPath: { path: "/data" },
        nodeAffinity: {
          required: { nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator: "In", values: ["v2"] }] }] },
        },
      },
    },
  });
  await client.request({
    method: "POST",
    path: `/api/v1/namespaces/f${round}/persistentvolumeclaims`,
    body: {
      // As the binder of the controller manager leaves a claim: only with the annotation is it bound completely.
      metadata: { name: "c", annotations: { "pv.orchernetes.io/bind-completed": "yes" } },
      spec: { accessModes: ["ReadWriteOnce"], volumeName: "pv", resources: { requests: { storage: "1Gi" } } },
    },
  });
  expect(await w.nodeOf("p")).toBe("v2");
}, 60_000);
