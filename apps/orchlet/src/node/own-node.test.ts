import { createClient } from "@orchernetes/client";
import { type FakeApiServer, startFakeApiServer } from "@orchernetes/client/testing";
import { silentLogger } from "@orchernetes/kernel";
import { afterEach, beforeEach, expect, test } from "vitest";
import { testNode } from "../testing/nodes.ts";
import { machineInfo } from "./machine-info.ts";
import type { NodeIdentity } from "./node-object.ts";
import { followOwnNode } from "./own-node.ts";

let api: FakeApiServer;
let stop: AbortController;
beforeEach(async () => {
  api = await startFakeApiServer();
  stop = new AbortController();
});
afterEach(async () => {
  stop.abort();
  await api.close();
});

const identity: NodeIdentity = {
  name: "node-a",
  ips: [],
  labels: { own: "yes" },
  localVolumes: "",
  taints: [],
  unschedulable: false,
  providerID: "",
  port: 1,
  machine: await machineInfo("/"),
  reservations: {
    maxPods: 5,
    podsPerCore: 0,
    systemReserved: {},
    orchReserved: {},
    evictionHard: {},
    reservedSystemCPUs: "",
  },
};
const follow = (client: ReturnType<typeof createClient> | undefined) =>
  followOwnNode({ client, identity, allocatable: { pods: "5" }, logger: silentLogger, onChange: () => undefined });

test("before its registration, the node is the object to register, and then that of the API server, always with the agent's own resources", async () => {
  const own = follow(createClient({ server: api.url }));
  expect(own.current()).toMatchObject({ metadata: { labels: { own: "yes" } }, status: { allocatable: { pods: "5" } } });
  const node = testNode({ labels: { disk: "ssd" }, allocatable: { pods: "9", "e.com/x": "1" } });
  api.put("/api/v1/nodes", JSON.parse(JSON.stringify(node)));
  void own.run(stop.signal);
  await expect.poll(() => own.current().metadata.labels?.disk).toBe("ssd");
  expect(own.current().status.allocatable).toMatchObject({ pods: "5", "e.com/x": "1" });
});

test("the node is read from the server, not from the cache", async () => {
  const own = follow(createClient({ server: api.url }));
  api.put("/api/v1/nodes", JSON.parse(JSON.stringify(testNode({ labels: { disk: "ssd" } }))));
  expect((await own.fresh(stop.signal))?.metadata.labels?.disk).toBe("ssd");
  expect(api.requests.at(-1)?.query.has("resourceVersion")).toBe(false);
});

test("without an API server, no newer node is read", async () => {
  expect(await follow(undefined).fresh(stop.signal)).toBeUndefined();
});
