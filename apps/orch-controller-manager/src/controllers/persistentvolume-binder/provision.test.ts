import { createClient } from "@orchernetes/client";
import { type CannedAnswer, type FakeApiServer, startFakeApiServer } from "@orchernetes/client/testing";
import { systemClock } from "@orchernetes/kernel";
import { claim, storageClass } from "@orchernetes/testkit";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { VolumePlugin } from "./plugins/volume-plugin.ts";
import { provision } from "./provision.ts";
import { linesOf } from "./testing.ts";

const path = "/api/v1/persistentvolumes";
let server: FakeApiServer;
beforeEach(async () => {
  server = await startFakeApiServer();
});
afterEach(() => server.close());

/** Provisions for claim "c" and resolves with what happened, in order. */
async function attempt(mountOptions?: readonly string[]): Promise<readonly string[]> {
  const client = createClient({ server: server.url });
  const done: string[] = [];
  const plugin: VolumePlugin = {
    name: "orchernetes.io/test",
    supports: () => true,
    async provision() {
      done.push("made");
      return { annotations: { by: "test" }, spec: { capacity: { storage: "1Gi" }, hostPath: { path: "/x" } } };
    },
    delete: async ({ spec }) => void done.push(`deleted ${spec.hostPath?.path}`),
  };
  const made = storageClass("fast", {
    provisioner: plugin.name,
    ...(mountOptions === undefined ? {} : { mountOptions }),
  });
  await provision(claim("c"), made, {
    client,
    plugins: [plugin],
    perform: async (actions) => void done.push(...linesOf(actions)),
    clock: { ...systemClock, sleep: async (ms) => void done.push(`slept ${ms}`) },
    signal: new AbortController().signal,
  }).catch(() => done.push("failed"));
  client.close();
  return done;
}

const refused: CannedAnswer = { status: 403, body: { kind: "Status", status: "Failure", message: "no", code: 403 } };

test("a volume is created and reserved for the claim", async () => {
  expect(await attempt()).toEqual([
    "made",
    "Normal ProvisioningSucceeded: Successfully provisioned volume pvc-uid-c using orchernetes.io/test",
  ]);
  expect(server.objects(path)).toMatchObject([
    {
      metadata: {
        name: "pvc-uid-c",
        annotations: {
          by: "test",
          "pv.orchernetes.io/bound-by-controller": "yes",
          "pv.orchernetes.io/provisioned-by": "orchernetes.io/test",
        },
      },
      spec: {
        hostPath: { path: "/x" },
        storageClassName: "fast",
        persistentVolumeReclaimPolicy: "Delete",
        claimRef: { kind: "PersistentVolumeClaim", apiVersion: "v1", namespace: "ns", name: "c", uid: "uid-c" },
      },
    },
  ]);
  expect(await attempt()).toEqual([]);
});

test("a volume that cannot be written leaves nothing behind", async () => {
  server.hook = ({ method }) => (method === "POST" ? refused : undefined);
  const pauses = Array.from({ length: 4 }, () => "slept 10000");
  expect(await attempt()).toEqual([
    "made",
    ...pauses,
    "deleted /x",
    "Warning ProvisioningFailed: Error creating provisioned PV object for claim ns/c: no. Deleting the volume.",
    "failed",
  ]);
});

test("a write that succeeds in the end is enough", async () => {
  let refusals = 2;
  server.hook = ({ method }) => (method === "POST" && refusals-- > 0 ? refused : undefined);
  expect(await attempt()).toHaveLength(4);
  expect(server.objects(path)).toHaveLength(1);
});

test("mount options that are not supported are rejected", async () => {
  expect(await attempt(["ro", "hard"])).toEqual([
    'Warning ProvisioningFailed: Mount options are not supported by the provisioner but StorageClass "fast" has mount options [ro hard]',
    "failed",
  ]);
});
