import { core, storage } from "@orchernetes/api";
import { type Client, createClient, createInformer } from "@orchernetes/client";
import { type FakeApiServer, type FakeObject, startFakeApiServer } from "@orchernetes/client/testing";
import { bindCompleted, selectedNode } from "@orchernetes/component-helpers";
import { systemClock } from "@orchernetes/kernel";
import { claim, node, poll, storageClass, volume } from "@orchernetes/testkit";
import { afterEach, beforeEach, expect, test } from "vitest";
import { podInfo } from "../cache/pod-info.ts";
import { inZone, podUsing } from "../testing/volumes.ts";
import { createReserveVolumes, type ReserveVolumes } from "./reserve-volumes.ts";
import { createVolumeCaches } from "./volumes.ts";

const claimsPath = "/api/v1/persistentvolumeclaims";
const volumesPath = "/api/v1/persistentvolumes";
const zone1 = node("a").labels({ zone: "1" }).build();
const late = { volumeBindingMode: "WaitForFirstConsumer" } as const;
const timeoutMs = 20_000;

let server: FakeApiServer;
let client: Client;
let stop: AbortController;
let reserve: ReserveVolumes;
let nodes: readonly core.Node[];
let podsExist: boolean;

const find = (path: string, name: string): FakeObject | undefined =>
  server.objects(path).find(({ metadata }) => metadata.name === name);

/** Stores an object as the server would: it chooses uid and version. */
function put(path: string, { metadata: { resourceVersion: _, ...metadata }, ...rest }: FakeObject): void {
  server.put(path, { ...rest, metadata });
}
const change = (path: string, name: string, to: (object: FakeObject) => FakeObject): void => {
  const found = find(path, name);
  if (found === undefined) throw new Error(`no ${name}`);
  put(path, to(found));
};
const specOf = (name: string): core.PersistentVolumeSpec => {
  const found = find(volumesPath, name);
  if (found === undefined) throw new Error(`no ${name}`);
  return found.spec as core.PersistentVolumeSpec;
};
const annotate = (name: string, annotations: Record<string, string>, volumeName?: string): void =>
  change(claimsPath, name, ({ metadata, spec, ...rest }) => ({
    ...rest,
    metadata: { ...metadata, annotations },
    spec: { ...(spec as object), ...(volumeName && { volumeName }) },
  }));

/** Stores objects, and then follows them. */
async function cluster(objects: readonly (readonly [string, object])[]): Promise<void> {
  for (const [path, object] of objects) put(path, object as FakeObject);
  const informers = {
    claims: createInformer<core.PersistentVolumeClaim>(client, core.persistentVolumeClaims),
    persistentVolumes: createInformer<core.PersistentVolume>(client, core.persistentVolumes),
    classes: createInformer<storage.StorageClass>(client, storage.storageClasses),
    csiNodes: createInformer<storage.CSINode>(client, storage.csiNodes),
    csiDrivers: createInformer<storage.CSIDriver>(client, storage.csiDrivers),
    capacities: createInformer<storage.CSIStorageCapacity>(client, storage.csiStorageCapacities),
  };
  const caches = createVolumeCaches(informers);
  for (const informer of Object.values(informers)) void informer.run(stop.signal);
  for (const informer of Object.values(informers)) await informer.waitForSync(stop.signal);
  reserve = createReserveVolumes({
    client,
    caches,
    podExists: () => podsExist,
    node: (name) => nodes.find(({ metadata }) => metadata.name === name),
    clock: systemClock,
  });
}

const fast = ["/apis/storage.o8s.io/v1/storageclasses", storageClass("fast", late)] as const;
const manual = [
  "/apis/storage.o8s.io/v1/storageclasses",
  storageClass("fast", { ...late, provisioner: "orchernetes.io/no-provisioner" }),
] as const;
const infoOf = (...claims: readonly string[]) => podInfo(podUsing(...claims).build());

beforeEach(async () => {
  server = await startFakeApiServer();
  client = createClient({ server: server.url });
  stop = new AbortController();
  nodes = [zone1];
  podsExist = true;
});
afterEach(async () => {
  stop.abort();
  client.close();
  await server.close();
});

test("a volume that exists is reserved for the claim, and the pod waits until the claim is bound", async () => {
  await cluster([manual, [claimsPath, claim("c")], [volumesPath, volume("v", { source: inZone("1") })]]);
  const reservation = reserve(infoOf("c"), zone1, timeoutMs);
  let done = false;
  const prepared = reservation?.preBind(stop.signal).then(() => {
    done = true;
  });
  await poll({ what: "the reservation" }, async () => specOf("v").claimRef);
  expect(find(volumesPath, "v")).toMatchObject({
    metadata: { annotations: { "pv.orchernetes.io/bound-by-controller": "yes" } },
    spec: { claimRef: { kind: "PersistentVolumeClaim", apiVersion: "v1", namespace: "ns", name: "c" } },
  });
  expect(done).toBe(false);
  annotate("c", { [bindCompleted]: "yes" }, "v");
  await prepared;
});

test("two pods do not reserve the same volume, unless the first one releases it", async () => {
  await cluster([manual, [claimsPath, claim("c")], [claimsPath, claim("d")], [volumesPath, volume("v")]]);
  const first = reserve(infoOf("c"), zone1, timeoutMs);
  expect(() => reserve(infoOf("d"), zone1, timeoutMs)).toThrow("cannot be bound on node a any more");
  first?.unreserve();
  expect(reserve(infoOf("d"), zone1, timeoutMs)).toBeDefined();
});

test("a claim gets the node for which its volume is to be created", async () => {
  await cluster([fast, [claimsPath, claim("c")]]);
  const prepared = reserve(infoOf("c"), zone1, timeoutMs)?.preBind(stop.signal);
  await poll({ what: "the node" }, async () => find(claimsPath, "c")?.metadata.annotations);
  expect(find(claimsPath, "c")?.metadata.annotations).toEqual({ [selectedNode]: "a" });
  put(volumesPath, volume("v", { source: inZone("1"), claim: "c", phase: "Bound" }) as unknown as FakeObject);
  annotate("c", { [selectedNode]: "a", [bindCompleted]: "yes" }, "v");
  await prepared;
});

test("a pod without claims, or whose claims are bound, reserves nothing", async () => {
  const annotations = { [bindCompleted]: "yes" };
  await cluster([fast, [claimsPath, claim("c", { annotations, volumeName: "v" })]]);
  expect(reserve(infoOf(), zone1, timeoutMs)).toBeUndefined();
  expect(reserve(infoOf("c"), zone1, timeoutMs)).toBeUndefined();
});

test.each<[string, () => void, string]>([
  ["the provisioner fails", () => annotate("c", {}), 'provisioning failed for PVC "c"'],
  ["the node is gone", () => (nodes = []), 'failed to get node "a": node "a" not found'],
  ["the pod is gone", () => (podsExist = false), 'pod does not exist any more: pod "p" not found'],
  [
    "the volume was created elsewhere",
    () => {
      put(volumesPath, volume("v", { source: inZone("2"), claim: "c" }) as unknown as FakeObject);
      annotate("c", { [selectedNode]: "a", [bindCompleted]: "yes" }, "v");
    },
    'pv "v" node affinity doesn\'t match node "a": no matching NodeSelectorTerms',
  ],
])("the pod is scheduled again if %s", async (_, event, message) => {
  await cluster([fast, [claimsPath, claim("c")]]);
  const prepared = reserve(infoOf("c"), zone1, timeoutMs)?.preBind(stop.signal);
  const outcome = prepared?.catch((error: Error) => error.message);
  await poll({ what: "the node" }, async () => find(claimsPath, "c")?.metadata.annotations);
  event();
  expect(await outcome).toBe(`binding volumes: ${message}`);
});

test("the pod is scheduled again if the reservation of its volume is undone or times out", async () => {
  await cluster([manual, [claimsPath, claim("c")], [volumesPath, volume("v")]]);
  const reservation = reserve(infoOf("c"), zone1, timeoutMs);
  const outcome = reservation?.preBind(stop.signal).catch((error: Error) => error.message);
  await poll({ what: "the reservation" }, async () => specOf("v").claimRef);
  const { claimRef: _, ...spec } = specOf("v");
  change(volumesPath, "v", (object) => ({ ...object, spec }));
  expect(await outcome).toBe('binding volumes: ClaimRef got reset for pv "v"');
  reservation?.unreserve();
  await expect(reserve(infoOf("c"), zone1, 0)?.preBind(stop.signal)).rejects.toThrow(
    "binding volumes: timed out waiting for the condition",
  );
});
