import type { FakeApiServer, FakeObject } from "@orchernetes/client/testing";
import { FakeClock } from "@orchernetes/kernel";
import { beforeEach, expect, test, vi } from "vitest";
import { serverForTest, startControllers } from "../../testing/start-controller.ts";
import { nodeLifecycleController } from "./controller.ts";

const start = "2024-01-01T00:00:00Z";
const nodesPath = "/api/v1/nodes";
const podsPath = "/api/v1/pods";
const leasesPath = "/apis/coordination.o8s.io/v1/leases";

let server: FakeApiServer;
let clock: FakeClock;
beforeEach(async () => {
  server = await serverForTest();
  clock = new FakeClock(start);
});

const names = Array.from({ length: 12 }, (_, i) => `n${i}`);
function putNode(name: string, status: "True" | "False" = "True"): void {
  const conditions = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"].map((type) => ({
    type,
    status: type === "Ready" ? status : "False",
    lastHeartbeatTime: start,
  }));
  server.put(nodesPath, {
    metadata: { name, labels: { "topology.orchernetes.io/zone": "z" } },
    spec: {},
    status: { conditions },
  });
}
const renew = (name: string): unknown =>
  server.put(leasesPath, {
    metadata: { name, namespace: "orch-node-lease" },
    spec: { renewTime: clock.now().toISOString() },
  });
const tainted = (): readonly string[] =>
  server
    .objects(nodesPath)
    .filter(({ spec }) =>
      ((spec as { taints?: readonly { effect: string }[] }).taints ?? []).some(({ effect }) => effect === "NoExecute"),
    )
    .map(({ metadata }) => String(metadata.name));
interface WithConditions {
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
}
const readyOf = ({ status }: FakeObject): unknown =>
  (status as WithConditions).conditions?.find(({ type }) => type === "Ready")?.status;
const podReady = (name: string): unknown =>
  server
    .objects(podsPath)
    .filter(({ metadata }) => metadata.name === name)
    .map(readyOf)[0];

/** Lets time pass in steps of the monitor's period; `each` runs before every step. */
async function pass(seconds: number, each: () => void = () => undefined): Promise<void> {
  for (let at = 0; at < seconds; at += 5) {
    each();
    await new Promise((resolve) => setTimeout(resolve, 8));
    clock.advance(5000);
    await new Promise((resolve) => setTimeout(resolve, 8));
  }
}

test("evictions stop and taints are removed when the last node stops reporting, and resume when one reports again", async () => {
  for (const name of names) {
    putNode(name);
    renew(name);
  }
  // Evictions are slow: most of the nodes wait for their turn when the rest falls silent.
  startControllers(server, [nodeLifecycleController], { nodelifecycle: { evictionRate: 0.02 } }, clock);
  await vi.waitFor(() => expect(clock.waiting).toBeGreaterThan(0), { timeout: 20_000 });
  const alive = names.slice(6);
  await pass(70, () => alive.forEach(renew));
  expect(tainted()).not.toEqual([]);
  await pass(60);
  expect(server.objects(nodesPath).map(readyOf)).toEqual(names.map(() => "Unknown"));
  await vi.waitFor(() => expect(tainted()).toEqual([]), { timeout: 20_000 });
  await pass(600);
  expect(tainted()).toEqual([]);
  // One of twelve in a small zone: too few to tell the others dead.
  await pass(60, () => {
    putNode("n0");
    renew("n0");
  });
  expect(tainted()).toEqual([]);
  // Seven of twelve are alive: the others are evicted again.
  await pass(120, () => {
    for (const name of names.slice(0, 7)) {
      putNode(name);
      renew(name);
    }
  });
  await vi.waitFor(() => expect(tainted().length).toBeGreaterThan(0), { timeout: 20_000 });
}, 20_000);

const putPod = (name: string, nodeName: string): unknown =>
  server.put(podsPath, {
    metadata: { name, namespace: "ns" },
    spec: { nodeName, containers: [], tolerations: [{ operator: "Exists" }] },
    status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
  });

test("the pods of a node that is not ready are marked after a restart, and again after failures", async () => {
  putNode("n0", "False");
  putNode("n1");
  putPod("a", "n0");
  putPod("b", "n1");
  let failures = 2;
  server.hook = ({ method, path }) =>
    method === "PATCH" && path.endsWith("/pods/a/status") && failures-- > 0 ? { status: 503 } : undefined;
  startControllers(server, [nodeLifecycleController]);
  await vi.waitFor(() => expect(podReady("a")).toBe("False"), { timeout: 20_000 });
  expect(podReady("b")).toBe("True");
  // One that is bound there later.
  putPod("c", "n0");
  await vi.waitFor(() => expect(podReady("c")).toBe("False"), { timeout: 20_000 });
});
