import type { core } from "@orchernetes/api";
import type { FakeApiServer, FakeObject } from "@orchernetes/client/testing";
import { createMetrics, type Metrics } from "@orchernetes/component";
import { claim, storageClass, volume } from "@orchernetes/testkit";
import { beforeEach, expect, test, vi } from "vitest";
import { pod } from "../../testing/builders.ts";
import { serverForTest, startControllers } from "../../testing/start-controller.ts";
import { pvProtectionController } from "../storage-protection/pv-protection.ts";
import { pvcProtectionController } from "../storage-protection/pvc-protection.ts";
import { persistentVolumeBinderController } from "./controller.ts";

const volumesPath = "/api/v1/persistentvolumes";
const claimsPath = "/api/v1/persistentvolumeclaims";
const classesPath = "/apis/storage.o8s.io/v1/storageclasses";
const patience = { timeout: 20_000 };

let server: FakeApiServer;
let metrics: Metrics;
beforeEach(async () => {
  server = await serverForTest();
  metrics = createMetrics();
  startControllers(
    server,
    [persistentVolumeBinderController, pvcProtectionController, pvProtectionController],
    { "persistentvolume-binder": { syncPeriodMs: 200 } },
    undefined,
    { metrics },
  );
});

/** Puts an object as the server would hold it: it chooses uid and version. */
function put(path: string, object: object): FakeObject {
  const { metadata, ...rest } = object as FakeObject;
  const { resourceVersion: _, ...kept } = metadata;
  return server.put(path, { ...rest, metadata: kept });
}
const phases = (): readonly string[] =>
  [...server.objects(volumesPath), ...server.objects(claimsPath)].map(({ metadata, status }) => {
    return `${metadata.name} ${(status as core.PersistentVolumeStatus).phase}`;
  });
const events = (): readonly string[] =>
  server.objects("/api/v1/events").map(({ type, reason, message, involvedObject }) => {
    return `${type} ${reason} of ${(involvedObject as core.ObjectReference).name}: ${message}`;
  });
const become = (...want: readonly string[]): Promise<void> =>
  vi.waitFor(() => expect(phases()).toEqual(want), patience);
const expectEvent = (want: string): Promise<void> => vi.waitFor(() => expect(events()).toContain(want), patience);

function deleteClaim(name: string): void {
  // As a client would: the finalizer keeps it for a moment.
  const found = server.objects(claimsPath).find(({ metadata }) => metadata.name === name);
  if (found === undefined) throw new Error(`no claim ${name}`);
  put(claimsPath, { ...found, metadata: { ...found.metadata, deletionTimestamp: "2024-01-01T00:00:00Z" } });
}

test("many claims and volumes find each other, one to one", async () => {
  const names = Array.from({ length: 20 }, (_, i) => String(i).padStart(2, "0"));
  for (const name of names) put(claimsPath, claim(`c${name}`));
  for (const name of names) put(volumesPath, volume(`v${name}`, { phase: "Pending" }));
  await vi.waitFor(() => expect(phases().every((line) => line.endsWith(" Bound"))).toBe(true), patience);
  const claims = server
    .objects(claimsPath)
    .map(({ metadata, spec }) => [metadata.name, (spec as core.PersistentVolumeClaimSpec).volumeName]);
  const volumes = server
    .objects(volumesPath)
    .map(({ metadata, spec }) => [(spec as core.PersistentVolumeSpec).claimRef?.name, metadata.name]);
  expect(claims.sort()).toEqual(volumes.sort());
});

test("the volume of a deleted claim is released, and no other claim gets it", async () => {
  put(volumesPath, volume("v", { phase: "Pending" }));
  put(claimsPath, claim("c"));
  await become("v Bound", "c Bound");
  expect(server.objects(claimsPath)[0]?.metadata.finalizers).toEqual(["orchernetes.io/pvc-protection"]);
  deleteClaim("c");
  await become("v Released");
  put(claimsPath, { ...claim("c"), metadata: { ...claim("c").metadata, uid: "another" } });
  await expectEvent('Warning ProvisioningFailed of c: storageclass.storage.o8s.io "fast" not found');
  expect(phases()).toEqual(["v Released", "c Pending"]);
});

test("a claim in use is not deleted before its pod", async () => {
  put(volumesPath, volume("v"));
  put(claimsPath, claim("c"));
  const made = pod("p", { node: "n" });
  const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "c" } }];
  put("/api/v1/pods", { ...made, spec: { ...made.spec, volumes } });
  await become("v Bound", "c Bound");
  deleteClaim("c");
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(server.objects(claimsPath)).toHaveLength(1);
  server.remove("/api/v1/pods", "ns/p");
  await become("v Released");
});

test("a volume in use is not deleted before its claim", async () => {
  put(volumesPath, volume("v"));
  put(claimsPath, claim("c"));
  await become("v Bound", "c Bound");
  const [bound] = server.objects(volumesPath);
  expect(bound?.metadata.finalizers).toEqual(["orchernetes.io/pv-protection"]);
  put(volumesPath, { ...bound, metadata: { ...bound?.metadata, deletionTimestamp: "2024-01-01T00:00:00Z" } });
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(phases()).toEqual(["v Bound", "c Bound"]);
  deleteClaim("c");
  await become();
});

test("a volume that cannot be deleted fails, and the failure is reported", async () => {
  put(volumesPath, volume("v", { policy: "Delete", claim: "gone", phase: "Bound" }));
  await become("v Failed");
  const message = "host_path deleter only supports /tmp/.+ but received provided /none";
  await expectEvent(`Warning VolumeFailedDelete of v: ${message}`);
  expect(server.objects(volumesPath)[0]?.status).toMatchObject({ message });
});

test("a provisioned volume is deleted with its claim, and one of an external provisioner is left to it", async () => {
  const annotations = { "pv.orchernetes.io/provisioned-by": "orchernetes.io/host-path" };
  const gone = { hostPath: { path: "/tmp/orchernetes-test-that-never-was/x" } };
  const sketch = { policy: "Delete", claim: "gone", phase: "Bound" } as const;
  put(volumesPath, volume("ours", { ...sketch, annotations, source: gone }));
  put(
    volumesPath,
    volume("theirs", { ...sketch, annotations: { "pv.orchernetes.io/provisioned-by": "example.com/x" } }),
  );
  await become("theirs Released");
});

test.each<[string, "Succeeded" | "Failed", string, readonly string[]]>([
  ["is emptied", "Succeeded", "Normal VolumeRecycled of v: Volume recycled", ["v Available"]],
  ["cannot be emptied", "Failed", "Warning VolumeFailedRecycle of v: Recycle failed: no such luck", ["v Failed"]],
])("a volume to recycle %s by a pod", async (_, phase, event, want) => {
  put(
    volumesPath,
    volume("v", {
      policy: "Recycle",
      claim: "gone",
      phase: "Bound",
      annotations: { "pv.orchernetes.io/bound-by-controller": "yes" },
    }),
  );
  const recyclers = (): readonly FakeObject[] => server.objects("/api/v1/pods");
  await vi.waitFor(() => expect(recyclers()).toHaveLength(1), patience);
  const [recycler] = recyclers();
  expect(recycler).toMatchObject({
    metadata: { name: "recycler-for-v", namespace: "default" },
    spec: { activeDeadlineSeconds: 60 },
  });
  put("/api/v1/pods", { ...recycler, status: { phase, message: "no such luck" } });
  await vi.waitFor(() => expect(phases()).toEqual(want), patience);
  await expectEvent(event);
  await expectEvent("Normal RecyclerPod of v: Recycler pod: created pod default/recycler-for-v");
});

test("a new default class is assigned to existing claims without one, whose volume is provisioned externally", async () => {
  put(claimsPath, claim("c", { className: undefined }));
  await expectEvent(
    "Normal FailedBinding of c: no persistent volumes available for this claim and no storage class is set",
  );
  const annotations = { "storageclass.orchernetes.io/is-default-class": "true" };
  put(classesPath, storageClass("std", { metadata: { annotations } }));
  await expectEvent(
    'Normal ExternalProvisioning of c: waiting for a volume to be created, either by external provisioner "example.com/maker" or manually created by system administrator',
  );
  expect(server.objects(claimsPath)[0]).toMatchObject({
    metadata: { annotations: { "volume.orchernetes.io/storage-provisioner": "example.com/maker" } },
    spec: { storageClassName: "std" },
  });
  const [made] = server.objects(claimsPath);
  put(volumesPath, volume("pvc-1", { className: "std", claim: "c", uid: made?.metadata.uid ?? "", phase: "Pending" }));
  await become("pvc-1 Bound", "c Bound");
});

test("a plugin that cannot provision reports the reason", async () => {
  put(classesPath, storageClass("fast", { provisioner: "orchernetes.io/host-path" }));
  put(claimsPath, claim("c"));
  await expectEvent(
    'Warning ProvisioningFailed of c: Failed to provision volume with StorageClass "fast": provisioning in volume plugin "orchernetes.io/host-path" is disabled',
  );
});

/** The series of a metric that count, without those of buckets. */
const counts = (name: string): readonly string[] =>
  metrics
    .render(new Set([name]))
    .split("\n")
    .filter((line) => line.startsWith(name) && !line.includes("_bucket{") && !line.includes("_sum{"))
    .sort();

test("volumes, claims and the time that a provisioner takes are in the metrics", async () => {
  put(classesPath, storageClass("fast", { provisioner: "example.com/maker" }));
  put(volumesPath, volume("free", { className: "other", volumeMode: "Block" }));
  put(claimsPath, claim("c"));
  const event =
    'waiting for a volume to be created, either by external provisioner "example.com/maker" or manually created by system administrator';
  await expectEvent(`Normal ExternalProvisioning of c: ${event}`);
  expect(counts("pv_collector_unbound_pvc_count")).toEqual(['pv_collector_unbound_pvc_count{namespace="ns"} 1']);
  expect(counts("pv_collector_bound_pvc_count")).toEqual([]);
  expect(counts("volume_operation_total_seconds")).toEqual([]);
  const source = { csi: { driver: "d.example.com", volumeHandle: "h" } };
  put(volumesPath, volume("v", { claim: "c", phase: "Pending", source }));
  await become("free Available", "v Bound", "c Bound");
  expect(counts("pv_collector_bound_pvc_count")).toEqual(['pv_collector_bound_pvc_count{namespace="ns"} 1']);
  expect(counts("pv_collector_bound_pv_count")).toEqual(['pv_collector_bound_pv_count{storage_class="fast"} 1']);
  expect(counts("pv_collector_unbound_pv_count")).toEqual(['pv_collector_unbound_pv_count{storage_class="other"} 1']);
  expect(counts("pv_collector_total_pv_count")).toEqual([
    'pv_collector_total_pv_count{plugin_name="orchernetes.io/csi:d.example.com",volume_mode="Filesystem"} 1',
    'pv_collector_total_pv_count{plugin_name="orchernetes.io/host-path",volume_mode="Block"} 1',
  ]);
  await vi.waitFor(
    () =>
      expect(counts("volume_operation_total_seconds")).toEqual([
        'volume_operation_total_seconds_count{plugin_name="example.com/maker",operation_name="provision"} 1',
      ]),
    patience,
  );
});

test("a volume that cannot be deleted is in the metrics", async () => {
  const annotations = { "pv.orchernetes.io/provisioned-by": "orchernetes.io/host-path" };
  put(volumesPath, volume("v", { policy: "Delete", claim: "gone", phase: "Bound", annotations }));
  await become("v Failed");
  await vi.waitFor(() => {
    const labels = 'plugin_name="orchernetes.io/host-path",operation_name="delete"';
    expect(counts("volume_operation_total_errors").join()).toContain(`volume_operation_total_errors{${labels}}`);
    const of = 'volume_plugin="orchernetes.io/host-path",operation_name="volume_delete"';
    expect(counts("storage_operation_duration_seconds").join()).toContain(
      `{${of},status="fail-unknown",migrated="false"}`,
    );
  }, patience);
});
