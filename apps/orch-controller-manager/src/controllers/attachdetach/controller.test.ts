import type { core, storage } from "@orchernetes/api";
import type { FakeApiServer, FakeObject } from "@orchernetes/client/testing";
import { createMetrics, type Metrics } from "@orchernetes/component";
import { bindCompleted } from "@orchernetes/component-helpers";
import { claim, node, pod, volume } from "@orchernetes/testkit";
import { beforeEach, expect, test, vi } from "vitest";
import { serverForTest, startControllers } from "../../testing/start-controller.ts";
import { attachDetachController } from "./controller.ts";
import { attachmentName, uniqueVolumeName } from "./names.ts";

const path = {
  attachments: "/apis/storage.o8s.io/v1/volumeattachments",
  claims: "/api/v1/persistentvolumeclaims",
  csiNodes: "/apis/storage.o8s.io/v1/csinodes",
  nodes: "/api/v1/nodes",
  pods: "/api/v1/pods",
  volumes: "/api/v1/persistentvolumes",
};
const patience = { timeout: 20_000 };
const csi = { driver: "d.example.com", handle: "h" };

let server: FakeApiServer;
let metrics: Metrics;
let stop: () => Promise<void>;
beforeEach(async () => {
  server = await serverForTest();
  metrics = createMetrics();
  const source = { csi: { driver: csi.driver, volumeHandle: csi.handle } };
  put(path.volumes, volume("v", { claim: "c", source }));
  put(
    path.claims,
    claim("c", { volumeName: "v", annotations: { [bindCompleted]: "yes" }, status: { phase: "Bound" } }),
  );
  for (const name of ["a", "b"]) put(path.nodes, machine(name));
  stop = start();
});

const start = () =>
  startControllers(server, [attachDetachController], { attachdetach: { syncPeriodMs: 1000 } }, undefined, { metrics });
const machine = (name: string) =>
  node(name)
    .annotations({ "volumes.orchernetes.io/controller-managed-attach-detach": "true" })
    .status({ conditions: [{ type: "Ready", status: "True" }] })
    .build();

/** Stores an object as the server would: it chooses the version. */
function put(at: string, object: object): void {
  const { metadata, ...rest } = object as FakeObject;
  const { resourceVersion: _, ...kept } = metadata;
  server.put(at, { ...rest, metadata: kept });
}
const run = (name: string, on: string): void =>
  put(
    path.pods,
    pod(name)
      .namespace("ns")
      .spec({ nodeName: on, volumes: [{ name: "d", persistentVolumeClaim: { claimName: "c" } }] })
      .build(),
  );
const attachedTo = (): readonly string[] =>
  server.objects(path.attachments).map(({ spec }) => (spec as storage.VolumeAttachmentSpec).nodeName);
const reportedOn = (name: string): readonly string[] => {
  const found = server.objects(path.nodes).find(({ metadata }) => metadata.name === name);
  const { volumesAttached = [] } = (found?.status ?? {}) as Partial<core.NodeStatus>;
  return volumesAttached.map((one) => one.name);
};
const reasons = (): readonly unknown[] => server.objects("/api/v1/events").map(({ reason }) => reason);

/** The lines of the metrics page about a metric. */
const linesOf = (name: string): readonly string[] =>
  metrics
    .render(new Set([name]))
    .split("\n")
    .filter((line) => line.startsWith(name));

/** Says that the agent of node "a" leaves the disks of a cloud to their driver, which runs there. */
const migrate = (plugin: string, driver: string): void =>
  put(path.csiNodes, {
    metadata: { name: "a", annotations: { "storage.alpha.orchernetes.io/migrated-plugins": plugin } },
    spec: { drivers: [{ name: driver, nodeID: "a", topologyKeys: null }] },
  });
const runInline = (name: string, source: Partial<core.Volume>): void =>
  put(
    path.pods,
    pod(name)
      .namespace("ns")
      .spec({ nodeName: "a", volumes: [{ name: "d", ...source }] })
      .build(),
  );
const sources = (): readonly unknown[] =>
  server.objects(path.attachments).map(({ metadata, spec }) => [metadata.name, spec]);

/** What the attacher of the driver does. */
function attach(): void {
  for (const { status: _, ...object } of server.objects(path.attachments))
    put(path.attachments, { ...object, status: { attached: true } });
}

test("a volume follows its pod from node to node, and nodes know which volumes they have", async () => {
  run("p", "a");
  await vi.waitFor(() => expect(attachedTo()).toEqual(["a"]), patience);
  expect(server.objects(path.attachments)[0]).toMatchObject({
    metadata: { name: attachmentName(csi, "a") },
    spec: { attacher: csi.driver, source: { persistentVolumeName: "v" } },
  });
  expect(reportedOn("a")).toEqual([]);
  attach();
  await vi.waitFor(() => expect(reportedOn("a")).toEqual([uniqueVolumeName(csi)]), patience);
  await vi.waitFor(() => expect(reasons()).toEqual(["SuccessfulAttachVolume"]), patience);
  run("q", "b");
  await vi.waitFor(() => expect(reasons()).toContain("FailedAttachVolume"), patience);
  expect(attachedTo()).toEqual(["a"]);
  server.remove(path.pods, "ns/p");
  await vi.waitFor(() => expect(attachedTo()).toEqual(["b"]), patience);
  expect(reportedOn("a")).toEqual([]);
});

test("a volume that its node begins to use again at the last moment stays", async () => {
  run("p", "a");
  await vi.waitFor(() => expect(attachedTo()).toEqual(["a"]), patience);
  attach();
  await vi.waitFor(() => expect(reportedOn("a")).toEqual([uniqueVolumeName(csi)]), patience);
  const inUse = (volumesInUse: readonly string[]): void => {
    const [found] = server.objects(path.nodes);
    put(path.nodes, { ...found, status: { ...(found?.status as core.NodeStatus), volumesInUse } });
  };
  let withdrawn = 0;
  server.hook = ({ method, path: at, body }) => {
    if (method !== "PATCH" || !at.endsWith("/nodes/a/status")) return undefined;
    const { volumesAttached } = (JSON.parse(body) as { readonly status: core.NodeStatus }).status;
    // The agent has seen a new pod, and the volume in its status, before the controller took it out.
    if (volumesAttached?.length === 0 && withdrawn++ === 0) inUse([uniqueVolumeName(csi)]);
    return undefined;
  };
  server.remove(path.pods, "ns/p");
  await vi.waitFor(() => expect(withdrawn).toBe(1), patience);
  await vi.waitFor(() => expect(reportedOn("a")).toEqual([uniqueVolumeName(csi)]), patience);
  expect(attachedTo()).toEqual(["a"]);
  inUse([]);
  await vi.waitFor(() => expect(attachedTo()).toEqual([]), patience);
});

test("a new manager continues from the attachments that there are", async () => {
  run("p", "a");
  await vi.waitFor(() => expect(attachedTo()).toEqual(["a"]), patience);
  attach();
  await stop();
  server.remove(path.pods, "ns/p");
  stop = start();
  await vi.waitFor(() => expect(attachedTo()).toEqual([]), patience);
});

test("an attachment that disappears is created again", async () => {
  run("p", "a");
  await vi.waitFor(() => expect(attachedTo()).toEqual(["a"]), patience);
  server.remove(path.attachments, attachmentName(csi, "a"));
  await vi.waitFor(() => expect(attachedTo()).toEqual(["a"]), patience);
});

test("the disk of an in-tree kind is attached by the driver that took over its kind, where the agent agrees", async () => {
  const ebs = { driver: "ebs.csi.aws.com", handle: "vol-1" };
  put(path.volumes, volume("v", { claim: "c", source: { awsElasticBlockStore: { volumeID: "aws://z/vol-1" } } }));
  run("p", "a");
  run("q", "b");
  await vi.waitFor(() => expect(linesOf("storage_count_attachable_volumes_in_use")).toHaveLength(2), patience);
  expect(attachedTo()).toEqual([]);
  migrate("orchernetes.io/aws-ebs", ebs.driver);
  const spec = { attacher: ebs.driver, nodeName: "a", source: { persistentVolumeName: "v" } };
  await vi.waitFor(() => expect(sources()).toEqual([[attachmentName(ebs, "a"), spec]]), patience);
  attach();
  await vi.waitFor(() => expect(reportedOn("a")).toEqual([uniqueVolumeName(ebs)]), patience);
  const plugin = `orchernetes.io/csi:${ebs.driver}`;
  expect(linesOf("attachdetach_controller_total_volumes").toSorted()).toEqual([
    `attachdetach_controller_total_volumes{plugin_name="${plugin}",state="actual_state_of_world"} 1`,
    `attachdetach_controller_total_volumes{plugin_name="${plugin}",state="desired_state_of_world"} 1`,
  ]);
  const labels = `volume_plugin="${plugin}",operation_name="volume_attach",status="success",migrated="true"`;
  expect(linesOf("storage_operation_duration_seconds")).toContain(
    `storage_operation_duration_seconds_count{${labels}} 1`,
  );
});

test("the disk of an in-tree kind in a pod is attached and detached by its driver", async () => {
  migrate("orchernetes.io/cinder,orchernetes.io/gce-pd", "pd.csi.storage.gke.io");
  runInline("p", { gcePersistentDisk: { pdName: "disk", readOnly: true } });
  // Its driver does not run on the node.
  runInline("q", { cinder: { volumeID: "x" } });
  const gce = { driver: "pd.csi.storage.gke.io", handle: "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/disk" };
  const inlineVolumeSpec = {
    accessModes: ["ReadOnlyMany"],
    csi: { driver: gce.driver, volumeHandle: gce.handle, readOnly: true, volumeAttributes: { partition: "" } },
    volumeMode: "Filesystem",
  };
  const spec = { attacher: gce.driver, nodeName: "a", source: { inlineVolumeSpec } };
  await vi.waitFor(() => expect(sources()).toEqual([[attachmentName(gce, "a"), spec]]), patience);
  attach();
  await vi.waitFor(() => expect(reportedOn("a")).toEqual([uniqueVolumeName(gce)]), patience);
  server.remove(path.pods, "ns/p");
  await vi.waitFor(() => expect(attachedTo()).toEqual([]), patience);
  expect(reportedOn("a")).toEqual([]);
});

test("what others have attached stays in the report", async () => {
  const foreign = { name: "orchernetes.io/fc/50:[lun]", devicePath: "/dev/sdx" };
  const stale = { name: uniqueVolumeName({ ...csi, handle: "old" }), devicePath: "" };
  put(path.nodes, { ...machine("a"), status: { volumesAttached: [foreign, stale] } });
  run("p", "a");
  await vi.waitFor(() => expect(attachedTo()).toEqual(["a"]), patience);
  attach();
  await vi.waitFor(() => expect(reportedOn("a")).toEqual([foreign.name, uniqueVolumeName(csi)]), patience);
});
