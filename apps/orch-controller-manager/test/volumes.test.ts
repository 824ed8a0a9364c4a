import type { core } from "@orchernetes/api";
import type { Client } from "@orchernetes/client";
import { localPathFolder, reclaimRequests, selectedNode } from "@orchernetes/component-helpers";
import { poll, type TestApiServer } from "@orchernetes/testkit";
import { beforeAll, expect, test } from "vitest";
import {
  csiNodes,
  namespaces,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  serviceAccounts,
  storageClasses,
  volumeAttachments,
} from "../src/shared/refs.ts";
import { testCluster } from "./test-cluster.ts";

const cluster = testCluster("volumes");
const names = [
  "persistentvolume-binder",
  "attachdetach",
  "persistentvolume-expander",
  "pv-protection",
  "pvc-protection",
];
const csi = { driver: "d.example.com", volumeHandle: "h" };
const reported = `orchernetes.io/csi/${csi.driver}^${csi.volumeHandle}`;
let server: TestApiServer;
let admin: Client;

beforeAll(async () => {
  server = await cluster.startServer({ authorizationMode: "RBAC" });
  admin = server.client();
  await admin.resource(namespaces).create({ metadata: { name: "test" } });
  await admin
    .resource(serviceAccounts)
    .namespace("test")
    .create({ metadata: { name: "default" } });
  const annotations = {
    "volumes.orchernetes.io/controller-managed-attach-detach": "true",
    [localPathFolder]: "/volumes",
  };
  await admin
    .resource(nodes)
    .create({ metadata: { name: "node-a", labels: { "orchernetes.io/hostname": "a" }, annotations } });
  // Each controller works as its own service account, with the rights of its role alone.
  await cluster.startManager(
    server,
    "--use-service-account-credentials",
    `--controllers=${names.join()}`,
    "--feature-gates=HonorPVReclaimPolicy=true",
    "--attach-detach-reconcile-sync-period=2s",
    "--pvclaimbinder-sync-period=1s",
  );
}, 90_000);

/** Waits until something is there. */
const eventually = <T>(what: string, find: () => Promise<T | undefined>): Promise<T> =>
  poll<T>({ what, timeoutMs: 30_000, intervalMs: 50 }, async () => (await find()) as T);

const storage = (size: string) => ({ requests: { storage: size } });
const claims = () => admin.resource(persistentVolumeClaims).namespace("test");
const merge = { type: "merge" } as const;

test("a volume of a driver is bound, attached for its pod, and detached after it", async () => {
  const accessModes = ["ReadWriteOnce"] as const;
  await admin.resource(persistentVolumes).create({
    metadata: { name: "v" },
    spec: { accessModes, capacity: { storage: "1Gi" }, csi, storageClassName: "" },
  } as unknown as core.PersistentVolume);
  await claims().create({
    metadata: { name: "c" },
    spec: { accessModes, resources: storage("1Gi"), storageClassName: "" },
  } as unknown as core.PersistentVolumeClaim);
  await eventually("the binding", async () => (await claims().get("c")).status?.phase === "Bound");
  await admin
    .resource(pods)
    .namespace("test")
    .create({
      metadata: { name: "p" },
      spec: {
        nodeName: "node-a",
        automountServiceAccountToken: false,
        containers: [{ name: "c", image: "i" }],
        volumes: [{ name: "data", persistentVolumeClaim: { claimName: "c" } }],
      },
    });
  const attachments = admin.resource(volumeAttachments);
  const attachment = await eventually("the attachment", async () => (await attachments.list()).items[0]);
  expect(attachment.spec).toEqual({
    attacher: csi.driver,
    nodeName: "node-a",
    source: { persistentVolumeName: "v" },
  });
  await attachments.patch(
    attachment.metadata.name,
    { status: { attached: true } },
    { ...merge, subresource: "status" },
  );
  const attachedToNode = async () => (await admin.resource(nodes).get("node-a")).status.volumesAttached ?? [];
  await eventually("the report", async () => (await attachedToNode()).length > 0);
  expect(await attachedToNode()).toEqual([{ name: reported, devicePath: "" }]);
  await admin.resource(pods).namespace("test").delete("p", { gracePeriodSeconds: 0 });
  await eventually("the detachment", async () => (await attachments.list()).items.length === 0);
  expect(await attachedToNode()).toEqual([]);
});

test("a disk of a cloud in a pod is attached by the driver that took over its kind", async () => {
  const driver = "pd.csi.storage.gke.io";
  await admin.resource(csiNodes).create({
    metadata: {
      name: "node-a",
      annotations: { "storage.alpha.orchernetes.io/migrated-plugins": "orchernetes.io/gce-pd" },
    },
    spec: { drivers: [{ name: driver, nodeID: "a" }] },
  });
  await admin
    .resource(pods)
    .namespace("test")
    .create({
      metadata: { name: "q" },
      spec: {
        nodeName: "node-a",
        automountServiceAccountToken: false,
        containers: [{ name: "c", image: "i" }],
        volumes: [{ name: "data", gcePersistentDisk: { pdName: "disk" } }],
      },
    });
  const attachments = admin.resource(volumeAttachments);
  const attachment = await eventually("the attachment", async () => (await attachments.list()).items[0]);
  expect(attachment.spec).toMatchObject({
    attacher: driver,
    nodeName: "node-a",
    source: {
      inlineVolumeSpec: { csi: { driver, volumeHandle: "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/disk" } },
    },
  });
  await admin.resource(pods).namespace("test").delete("q", { gracePeriodSeconds: 0 });
  await eventually("the detachment", async () => (await attachments.list()).items.length === 0);
});

test("a local path is provisioned for the selected node, grows, and is removed there before its object", async () => {
  await admin.resource(storageClasses).create({
    metadata: { name: "local" },
    provisioner: "orchernetes.io/local-path",
    volumeBindingMode: "WaitForFirstConsumer",
    allowVolumeExpansion: true,
  });
  const created = await claims().create({
    metadata: { name: "data" },
    spec: { accessModes: ["ReadWriteOnce"], resources: storage("1Gi"), storageClassName: "local" },
  } as unknown as core.PersistentVolumeClaim);
  // What the scheduler does.
  await claims().patch("data", { metadata: { annotations: { [selectedNode]: "node-a" } } }, merge);
  await eventually("the binding", async () => (await claims().get("data")).status?.phase === "Bound");
  const volumes = admin.resource(persistentVolumes);
  const name = `pvc-${created.metadata.uid}`;
  const volume = await eventually("the protection", async () => {
    const found = await volumes.get(name);
    return found.metadata.finalizers?.includes("orchernetes.io/pv-controller") ? found : undefined;
  });
  expect(volume.spec).toMatchObject({ local: { path: `/volumes/${name}` }, persistentVolumeReclaimPolicy: "Delete" });

  await claims().patch("data", { spec: { resources: storage("2Gi") } }, merge);
  await eventually("the new size", async () => (await claims().get("data")).status?.capacity?.storage === "2Gi");
  expect((await volumes.get(name)).spec.capacity).toEqual({ storage: "2Gi" });

  await volumes.delete(name);
  await claims().delete("data");
  await eventually("the request to the agent", async () => {
    const { metadata } = await admin.resource(nodes).get("node-a");
    return reclaimRequests(metadata.annotations).some(([of, value]) => of === name && value === "");
  });
  expect((await volumes.get(name)).metadata.deletionTimestamp).toBeDefined();
  // What the node's agent does.
  const [[key]] = Object.entries((await admin.resource(nodes).get("node-a")).metadata.annotations ?? {}).filter(
    ([annotation]) => annotation.endsWith(name),
  ) as [[string, string]];
  await admin.resource(nodes).patch("node-a", { metadata: { annotations: { [key]: null } } }, merge);
  await eventually("the end of the volume", async () => {
    const { items } = await volumes.list();
    return items.every(({ metadata }) => metadata.name !== name);
  });
});

test("a claim whose node is gone is scheduled again", async () => {
  await claims().create({
    metadata: { name: "lost", annotations: { [selectedNode]: "gone" } },
    spec: { accessModes: ["ReadWriteOnce"], resources: storage("1Gi"), storageClassName: "local" },
  } as unknown as core.PersistentVolumeClaim);
  await eventually("another decision", async () => {
    const { metadata } = await claims().get("lost");
    return metadata.annotations?.[selectedNode] === undefined;
  });
});
