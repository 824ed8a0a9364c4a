import type { core, storage } from "@orchernetes/api";
import { type FakeApiServer, type FakeObject, startFakeApiServer } from "@orchernetes/client/testing";
import { bindCompleted } from "@orchernetes/component-helpers";
import { claim, node, pod, volume } from "@orchernetes/testkit";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startControllers } from "../../testing/start-controller.ts";
import { attachDetachController } from "./controller.ts";
import { attachmentName, uniqueVolumeName } from "./names.ts";

const path = {
  attachments: "/apis/storage.o8s.io/v1/volumeattachments",
  claims: "/api/v1/persistentvolumeclaims",
  nodes: "/api/v1/nodes",
  pods: "/api/v1/pods",
  volumes: "/api/v1/persistentvolumes",
};
const patience = { timeout: 20_000 };
const csi = { driver: "d.example.com", handle: "h" };

let server: FakeApiServer;
let stop: () => Promise<void>;
beforeEach(async () => {
  server = await startFakeApiServer();
  const source = { csi: { driver: csi.driver, volumeHandle: csi.handle } };
  put(path.volumes, volume("v", { claim: "c", source }));
  put(
    path.claims,
    claim("c", { volumeName: "v", annotations: { [bindCompleted]: "yes" }, status: { phase: "Bound" } }),
  );
  for (const name of ["a", "b"]) put(path.nodes, machine(name));
  stop = start();
});
afterEach(async () => {
  await stop();
  await server.close();
});

const start = () => startControllers(server, [attachDetachController], { attachdetach: { syncPeriodMs: 1000 } });
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
