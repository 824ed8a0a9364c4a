import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { core, storage } from "@orchernetes/api";
import type { Client } from "@orchernetes/client";
import { mountsBelow } from "@orchernetes/host";
import {
  type CsiSidecars,
  poll,
  type RunningCsiDriver,
  startCluster,
  startCsiDriver,
  startCsiSidecars,
  type TestCluster,
} from "@orchernetes/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cannotRun, type Flavour, title } from "../src/prerequisites.ts";

const flavour: Flavour = { store: "embedded", runtime: "containerd" };
const skip = cannotRun(flavour) !== undefined;
const name = "directory.csi.example";
const node = "node-1";

const containers = [
  {
    name: "c",
    image: "localhost/busybox:1",
    imagePullPolicy: "IfNotPresent",
    command: ["sh", "-c", 'trap "exit 0" TERM; echo start >> /data/starts; while :; do sleep 0.2; done'],
    volumeMounts: [
      { name: "data", mountPath: "/data" },
      { name: "inline", mountPath: "/inline" },
    ],
    volumeDevices: [{ name: "device", devicePath: "/dev/disk" }],
  },
];
const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", namespace: "default" },
  spec: {
    terminationGracePeriodSeconds: 2,
    securityContext: { fsGroup: 4321 },
    containers,
    volumes: [
      { name: "data", persistentVolumeClaim: { claimName: "data" } },
      { name: "inline", csi: { driver: name, volumeAttributes: { color: "blue" } } },
      {
        name: "device",
        ephemeral: {
          volumeClaimTemplate: {
            spec: {
              accessModes: ["ReadWriteOnce"],
              volumeMode: "Block",
              storageClassName: "directory",
              resources: { requests: { storage: "2Mi" } },
            },
          },
        },
      },
    ],
  },
};

describe(title("volumes of a CSI driver", flavour), () => {
  let cluster: TestCluster;
  let client: Client;
  let driver: RunningCsiDriver;
  let sidecars: CsiSidecars;
  let dataDir: string;
  let rootDir: string;
  let before: readonly string[];

  const create = (object: object, ref: { readonly plural: string }) =>
    client.resource(ref as typeof core.pods).create(object as core.Pod);
  const claims = () => client.resource(core.persistentVolumeClaims).namespace("default");
  const pods = () => client.resource(core.pods).namespace("default");
  const count = (method: string) => driver.calls.filter((call) => call.method === method).length;
  const nodeStatus = async () => (await client.resource(core.nodes).get(node)).status ?? {};
  const attachments = async () => (await client.resource(storage.volumeAttachments).list()).items;
  const folder = () =>
    join(
      dataDir,
      "volumes",
      readdirSync(join(dataDir, "volumes")).find(
        (one) => one.startsWith("pvc-") && existsSync(join(dataDir, "volumes", one, "starts")),
      ) ?? "none",
    );
  const restartAgent = async (): Promise<void> => {
    cluster.kill9(`orchlet-${node}`);
    await cluster.up();
  };

  beforeAll(async () => {
    if (skip) return;
    cluster = await startCluster(flavour);
    client = cluster.client();
    dataDir = join(cluster.dataDir, "csi");
    rootDir = join(cluster.dataDir, "nodes", node);
    mkdirSync(join(dataDir, "volumes"), { recursive: true });
    before = await mountsBelow(cluster.dataDir);
    driver = await startCsiDriver({
      name,
      nodeId: "n1",
      dataDir,
      rootDir,
      maxVolumes: 7,
      topology: { "directory.csi.example/rack": "r1" },
    });
    sidecars = startCsiSidecars(client, name, driver.endpoint);
    const meta = { metadata: { name } };
    await create(
      {
        apiVersion: "storage.o8s.io/v1",
        kind: "CSIDriver",
        ...meta,
        spec: {
          podInfoOnMount: true,
          fsGroupPolicy: "File",
          volumeLifecycleModes: ["Persistent", "Ephemeral"],
          tokenRequests: [{ audience: "vault" }],
        },
      },
      storage.csiDrivers,
    );
    await create(
      {
        apiVersion: "storage.o8s.io/v1",
        kind: "StorageClass",
        metadata: { name: "directory" },
        provisioner: name,
        allowVolumeExpansion: true,
      },
      storage.storageClasses,
    );
  });
  afterAll(async () => {
    await sidecars?.stop();
    await driver?.stop();
    await cluster?.stop();
  });

  test.skipIf(skip)("its driver is in the CSINode and in the Node", async () => {
    await poll({ what: "the registration" }, async () => driver.registrations.includes(""));
    const { spec } = await client.resource(storage.csiNodes).get(node);
    expect(spec.drivers).toEqual([
      { name, nodeID: "n1", topologyKeys: ["directory.csi.example/rack"], allocatable: { count: 7 } },
    ]);
    const { metadata } = await client.resource(core.nodes).get(node);
    expect(metadata.labels?.["directory.csi.example/rack"]).toBe("r1");
    expect(metadata.annotations?.["csi.volume.orchernetes.io/nodeid"]).toBe(`{"${name}":"n1"}`);
  });

  test.skipIf(skip)("a pod gets a provisioned volume, an inline one and a device", async () => {
    const spec = {
      accessModes: ["ReadWriteOnce"],
      storageClassName: "directory",
      resources: { requests: { storage: "4Mi" } },
    };
    await create(
      { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name: "data", namespace: "default" }, spec },
      core.persistentVolumeClaims,
    );
    await create(pod, core.pods);
    await poll(
      { what: "the pod to run", timeoutMs: 120_000 },
      async () => (await pods().get("web")).status?.phase === "Running",
    );
    await poll({ what: "the file" }, async () => existsSync(join(folder(), "starts")));
    expect(statSync(folder()).gid).toBe(4321);
    expect(statSync(join(folder(), "starts")).gid).toBe(4321);
    const status = await nodeStatus();
    expect(status.volumesInUse).toHaveLength(2);
    expect(status.volumesAttached?.map(({ name: volume }) => volume).sort()).toEqual(status.volumesInUse);
    expect((await attachments()).map(({ status: of }) => of?.attached)).toEqual([true, true]);
    const inline = readdirSync(join(dataDir, "volumes")).find((one) => one.startsWith("csi-")) ?? "";
    const context = JSON.parse(readFileSync(join(dataDir, "volumes", inline, "context.json"), "utf8"));
    expect(context).toMatchObject({ color: "blue", "csi.storage.o8s.io/pod.name": "web" });
    expect(JSON.parse(context["csi.storage.o8s.io/serviceAccount.tokens"])).toMatchObject({
      vault: { token: expect.any(String) },
    });
  });

  test.skipIf(skip)("an agent that is killed adopts the volumes, and enlarges one", async () => {
    const calls = driver.calls.length;
    await restartAgent();
    await claims().patch("data", { spec: { resources: { requests: { storage: "8Mi" } } } }, { type: "merge" });
    await poll(
      { what: "the claim to have its size", timeoutMs: 150_000 },
      async () => (await claims().get("data")).status?.capacity?.storage === "8Mi",
    );
    expect(driver.calls.slice(calls).map(({ method }) => method)).toEqual([
      "ControllerExpandVolume",
      "NodeExpandVolume",
    ]);
    expect((await nodeStatus()).volumesInUse).toHaveLength(2);
    expect(readFileSync(join(folder(), "starts"), "utf8")).toBe("start\n");
  });

  test.skipIf(skip)("an agent that is killed while the pod ends leaves nothing", async () => {
    await pods().delete("web");
    await poll({ what: "a volume to be taken back", intervalMs: 20 }, async () => count("NodeUnpublishVolume") > 0);
    await restartAgent();
    await poll({ what: "the pod to be gone", timeoutMs: 90_000 }, async () => (await pods().list()).items.length === 0);
    await poll(
      { what: "the volumes to be detached", timeoutMs: 90_000 },
      async () => (await attachments()).length === 0,
    );
    expect((await nodeStatus()).volumesInUse ?? []).toEqual([]);
    expect([...driver.attached]).toEqual([]);
    await poll({ what: "the mounts to be as before" }, async () => {
      const now = await mountsBelow(cluster.dataDir);
      return now.every((path) => before.includes(path));
    });
    expect(readFileSync(join(folder(), "starts"), "utf8")).toBe("start\n");
    expect(count("NodeStageVolume")).toBe(2);
    await claims().delete("data");
    await poll({ what: "the volumes to be deleted" }, async () => readdirSync(join(dataDir, "volumes")).length === 0);
    expect(sidecars.errors.filter((error) => !/modified|not found|Conflict/i.test(String(error)))).toEqual([]);
  });
});
