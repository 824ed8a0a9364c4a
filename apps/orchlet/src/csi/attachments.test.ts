import { type Client, createClient } from "@orchernetes/client";
import { type FakeApiServer, startFakeApiServer } from "@orchernetes/client/testing";
import { attachmentName, uniqueVolumeName } from "@orchernetes/component-helpers";
import { systemClock } from "@orchernetes/kernel";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Attachments, createAttachments, type ShownNode } from "./attachments.ts";
import type { CsiVolume } from "./csi-volume.ts";
import { VolumesInUse } from "./volumes-in-use.ts";

const path = "/apis/storage.o8s.io/v1/volumeattachments";
const volume = { driver: "d", handle: "h" } as CsiVolume;
const unique = uniqueVolumeName(volume);
const name = attachmentName(volume, "node-a");
let api: FakeApiServer;
let client: Client;
let attachments: Attachments;
let shown: ShownNode;
let changes: number;
let nowMs: number;
beforeEach(async () => {
  api = await startFakeApiServer();
  client = createClient({ server: api.url });
  shown = { volumesInUse: [unique], volumesAttached: [unique] };
  changes = 0;
  nowMs = 0;
  attachments = createAttachments({
    client,
    nodeName: "node-a",
    // Time passes at each look.
    clock: {
      ...systemClock,
      monotonicMs: () => {
        nowMs += 5000;
        return nowMs;
      },
      sleep: async () => undefined,
    },
    inUse: new VolumesInUse(() => {
      changes += 1;
    }),
    shown: () => shown,
  });
});
afterEach(async () => {
  client.close();
  await api.close();
});
const signal = new AbortController().signal;
const put = (status: object, metadata: object = {}) =>
  api.put(path, { metadata: { name, ...metadata }, spec: { attacher: "d" }, status });

test("an attached volume has the context of its attacher, and was first reported as in use", async () => {
  put({ attached: true, attachmentMetadata: { device: "/dev/x" } });
  expect(await attachments.attached(volume, signal)).toEqual({ device: "/dev/x" });
  expect(changes).toBe(1);
});

test.each<[string, () => unknown, string]>([
  [
    "is not shown as in use",
    () => {
      shown = { ...shown, volumesInUse: [] };
    },
    "the list of volumesInUse",
  ],
  ["has no attachment", () => undefined, "does not exist: the controller attachdetach creates it"],
  ["is not attached yet", () => put({ attached: false }), "waiting for the external-attacher of d CSI driver"],
  ["cannot be attached", () => put({ attached: false, attachError: { message: "quota" } }), "quota"],
  [
    "is being detached",
    () => put({ attached: true }, { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["f"] }),
    "is being deleted",
  ],
  [
    "is not shown as attached",
    () => {
      put({ attached: true });
      shown = { ...shown, volumesAttached: [] };
    },
    "is not attached yet according to the node's status",
  ],
])("if a volume %s, the agent waits for it for a limited time", async (_, make, message) => {
  make();
  await expect(attachments.attached(volume, signal)).rejects.toThrow(message);
});
