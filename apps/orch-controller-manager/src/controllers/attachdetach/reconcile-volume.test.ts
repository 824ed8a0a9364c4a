import type { core, storage } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import { node, pod } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { attachmentName, uniqueVolumeName } from "./names.ts";
import { type AttachAction, reconcileVolume, type VolumeState } from "./reconcile-volume.ts";

const now = new Date("2024-01-01T00:10:00Z");
const minutesAgo = (minutes: number): number => now.getTime() - minutes * 60_000;
const csi = { driver: "d.example.com", handle: "h" };
const inUse = [uniqueVolumeName(csi)];
const managed = { "volumes.orchernetes.io/controller-managed-attach-detach": "true" };
const ready = (status: "True" | "Unknown"): core.NodeCondition[] => [{ type: "Ready", status }];
const machine = (name: string, status: Partial<core.NodeStatus> = {}, spec: Partial<core.NodeSpec> = {}) =>
  node(name)
    .annotations(managed)
    .status({ conditions: ready("True"), ...status })
    .spec(spec)
    .build();

const user = (name: string, on: string, namespace = "ns") =>
  pod(name).namespace(namespace).spec({ nodeName: on }).build();

const attachment = (
  on: string,
  status: Partial<storage.VolumeAttachmentStatus> = { attached: true },
  more: object = {},
): Stored<storage.VolumeAttachment> => ({
  metadata: {
    name: attachmentName(csi, on),
    uid: `uid-${on}`,
    resourceVersion: "1",
    creationTimestamp: "2024-01-01T00:09:00Z",
    ...more,
  },
  spec: { attacher: csi.driver, nodeName: on, source: { persistentVolumeName: "v" } },
  status: { attached: false, ...status },
});

interface Sketch extends Partial<Omit<VolumeState, "node">> {
  readonly nodes?: readonly Stored<core.Node>[];
  readonly modes?: readonly ("ReadWriteOnce" | "ReadWriteMany")[];
}

function decide({ nodes = [machine("a"), machine("b")], modes = ["ReadWriteOnce"], ...sketch }: Sketch) {
  const plan = reconcileVolume(
    {
      volume: csi,
      name: "v",
      source: { persistentVolumeName: "v" },
      accessModes: modes,
      migrated: false,
      isOrphan: false,
      attachable: true,
      honorsOutOfService: true,
      isDriverOn: () => true,
      pods: [],
      attachments: [],
      unusedSinceMs: new Map(),
      ...sketch,
      node: (name) => nodes.find(({ metadata }) => metadata.name === name),
    },
    now,
  );
  const again = plan.requeueAfterMs === undefined ? [] : [`again in ${plan.requeueAfterMs / 1000} s`];
  return [...plan.actions.map(lineOf), ...again];
}

function lineOf(action: AttachAction): string {
  switch (action.type) {
    case "Attach":
      return `attach ${action.node}`;
    case "Detach":
      return `${action.forced === undefined ? "" : `${action.forced}: `}detach ${action.attachment.spec.nodeName}`;
    case "SetUnused":
      return `unused ${action.attachment.spec.nodeName} ${action.sinceMs === undefined ? "no" : "now"}`;
    case "Event":
      return `${action.of} ${action.reason} of ${action.pod.metadata.name}: ${action.message}`;
  }
}

const unused = (on: string, minutes: number) => new Map([[`uid-${on}`, minutesAgo(minutes)]]);
const usedByOther = 'Warning FailedAttachVolume of p: Multi-Attach error for volume "v" Volume is already';
const busy = machine("a", { volumesInUse: inUse });
const silent = machine("a", { volumesInUse: inUse, conditions: ready("Unknown") });
const broken = machine(
  "a",
  { volumesInUse: inUse },
  { taints: [{ key: "node.orchernetes.io/out-of-service", effect: "NoExecute" }] },
);

test.each<[string, Sketch, readonly string[]]>([
  ["is attached to the node of its pod", { pods: [user("p", "a")] }, ["attach a"]],
  ["is not attached if its driver does not need it", { pods: [user("p", "a")], attachable: false }, []],
  ["is not attached where the agent does it", { pods: [user("p", "c")], nodes: [node("c").build()] }, []],
  ["is not attached to a node that is gone", { pods: [user("p", "gone")] }, []],
  ["stays attached", { pods: [user("p", "a")], attachments: [attachment("a")] }, []],
  ["is attached once for two pods of a node", { pods: [user("p", "a"), user("q", "a")] }, ["attach a"]],
  [
    "is attached to many nodes if its access mode allows it",
    { pods: [user("p", "a"), user("q", "b")], modes: ["ReadWriteMany"] },
    ["attach a", "attach b"],
  ],
  [
    "is not attached to a second node, and the pod there is told",
    { pods: [user("q", "a"), user("p", "b")], attachments: [attachment("a")] },
    [`${usedByOther} used by pod(s) q`],
  ],
  [
    "does not reveal the pods of other namespaces",
    { pods: [user("q", "a", "other"), user("r", "a"), user("p", "b")], attachments: [attachment("a")] },
    [`${usedByOther} used by pod(s) r and 1 pod(s) in different namespaces`],
  ],
  [
    "moves with its pod: it is detached first",
    { pods: [user("p", "b")], attachments: [attachment("a")], unusedSinceMs: unused("a", 0) },
    ["detach a", `${usedByOther} exclusively attached to one node and can't be attached to another`],
  ],
  ["is detached", { attachments: [attachment("a")] }, ["unused a now", "detach a"]],
  ["is being detached", { attachments: [attachment("a", {}, { deletionTimestamp: "2024-01-01T00:09:30Z" })] }, []],
  [
    "is kept while the agent uses it",
    { attachments: [attachment("a")], nodes: [busy] },
    ["unused a now", "again in 360 s"],
  ],
  [
    "is kept on a healthy node however long the agent uses it",
    { attachments: [attachment("a")], nodes: [busy], unusedSinceMs: unused("a", 60) },
    ["again in 360 s"],
  ],
  [
    "is kept on a node that has just become silent",
    { attachments: [attachment("a")], nodes: [silent], unusedSinceMs: unused("a", 5) },
    ["again in 60 s"],
  ],
  [
    "is detached from a node that is silent for six minutes",
    { attachments: [attachment("a")], nodes: [silent], unusedSinceMs: unused("a", 6) },
    ["timeout: detach a"],
  ],
  [
    "is kept on a node that has just gone",
    { attachments: [attachment("a")], nodes: [] },
    ["unused a now", "again in 360 s"],
  ],
  [
    "is detached from a node that is gone",
    { attachments: [attachment("a")], nodes: [], unusedSinceMs: unused("a", 6) },
    ["timeout: detach a"],
  ],
  [
    "is detached at once from a node that is out of service",
    { attachments: [attachment("a")], nodes: [broken] },
    ["unused a now", "outOfService: detach a"],
  ],
  [
    "is detached from a node that is out of service and silent for long",
    { attachments: [attachment("a")], nodes: [broken], unusedSinceMs: unused("a", 6) },
    ["timeout: detach a"],
  ],
  [
    "is kept on a node that is out of service if the gate is off",
    { attachments: [attachment("a")], nodes: [broken], honorsOutOfService: false },
    ["unused a now", "again in 360 s"],
  ],
  ["is not attached where its in-tree plugin does it", { pods: [user("p", "a")], isDriverOn: () => false }, []],
  ["is not detached where the agent attaches", { attachments: [attachment("c")], nodes: [node("c").build()] }, []],
  [
    "that is gone is kept a while, because it may be too new to be known",
    { attachments: [attachment("a")], isOrphan: true },
    ["unused a now", "again in 360 s"],
  ],
  [
    "that is gone is detached",
    { attachments: [attachment("a")], isOrphan: true, unusedSinceMs: unused("a", 6) },
    ["detach a"],
  ],
  [
    "is used again: the time starts again the next time",
    { pods: [user("p", "a")], attachments: [attachment("a")], unusedSinceMs: unused("a", 5) },
    ["unused a no"],
  ],
  [
    "cannot be attached: the pod is told",
    { pods: [user("p", "a")], attachments: [attachment("a", { attachError: { message: "no such disk" } })] },
    ['Warning FailedAttachVolume of p: AttachVolume.Attach failed for volume "v" : no such disk'],
  ],
  ["waits for its attacher", { pods: [user("p", "a")], attachments: [attachment("a", {})] }, ["again in 60 s"]],
  [
    "waits for an attacher that does not answer",
    {
      pods: [user("p", "a")],
      attachments: [attachment("a", {}, { creationTimestamp: "2024-01-01T00:00:00Z" })],
    },
    [
      'Warning FailedAttachVolume of p: AttachVolume.Attach failed for volume "v" : timed out waiting for external-attacher of d.example.com CSI driver to attach volume h',
    ],
  ],
])("a volume %s", (_, sketch, want) => {
  expect(decide(sketch)).toEqual(want);
});
