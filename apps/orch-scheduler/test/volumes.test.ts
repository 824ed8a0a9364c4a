import { core, storage } from "@orchernetes/api";
import type { Client } from "@orchernetes/client";
import { bindCompleted, selectedNode } from "@orchernetes/component-helpers";
import { poll, type RunningDaemon, startApiServer, type TestApiServer } from "@orchernetes/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startScheduler, type World, world } from "./fixture.ts";

let server: TestApiServer;
let scheduler: RunningDaemon;
let admin: Client;
let w: World;
const merge = { type: "merge" } as const;
const accessModes = ["ReadWriteOnce"] as const;

beforeAll(async () => {
  server = await startApiServer({ authorizationMode: "RBAC", flags: ["--disable-admission-plugins=ServiceAccount"] });
  admin = server.client();
  w = world(admin, "volumes");
  await w.setUp();
  for (const name of ["a", "b"]) await w.addNode(name, "8");
  const classes = admin.resource(storage.storageClasses);
  const volumeBindingMode = "WaitForFirstConsumer";
  await classes.create({
    metadata: { name: "manual" },
    provisioner: "orchernetes.io/no-provisioner",
    volumeBindingMode,
  });
  await classes.create({ metadata: { name: "made" }, provisioner: "example.com/maker", volumeBindingMode });
  scheduler = await startScheduler(server, server.dir);
}, 60_000);

afterAll(async () => {
  await scheduler?.stop();
  await server?.stop();
});

const claims = () => admin.resource(core.persistentVolumeClaims).namespace("volumes");
const volumes = () => admin.resource(core.persistentVolumes);
const claim = (name: string, storageClassName: string) =>
  claims().create({
    metadata: { name },
    spec: { accessModes: [...accessModes], storageClassName, resources: { requests: { storage: "1Gi" } } },
    status: {},
  });
/** A volume that only node b can use. */
const volume = (name: string, storageClassName: string, claimRef?: core.ObjectReference) =>
  volumes().create({
    metadata: { name },
    spec: {
      accessModes: [...accessModes],
      capacity: { storage: "1Gi" },
      storageClassName,
      local: { path: "/disk" },
      ...(claimRef !== undefined && { claimRef }),
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: "orchernetes.io/hostname", operator: "In", values: ["b"] }] },
          ],
        },
      },
    },
    status: {},
  });
const using = (claimName: string) => ({ volumes: [{ name: "data", persistentVolumeClaim: { claimName } }] });
/** What the controller of volumes does. */
const complete = (name: string, volumeName: string) =>
  claims().patch(name, { metadata: { annotations: { [bindCompleted]: "yes" } }, spec: { volumeName } }, merge);

test("a volume that exists is reserved, and the pod is bound to its node when the binding is complete", async () => {
  await volume("v", "manual");
  await volumes().patch("v", { status: { phase: "Available" } }, { ...merge, subresource: "status" });
  await claim("c", "manual");
  await claim("d", "manual");
  await w.create("p", "1", using("c"));
  const { spec, metadata } = await poll({ what: "the reservation", timeoutMs: 30_000 }, async () => {
    const found = await volumes().get("v");
    return found.spec.claimRef && found;
  });
  expect(spec.claimRef).toMatchObject({ namespace: "volumes", name: "c", kind: "PersistentVolumeClaim" });
  expect(metadata.annotations).toMatchObject({ "pv.orchernetes.io/bound-by-controller": "yes" });
  await w.create("q", "1", using("d"));
  expect((await w.unscheduled("q")).message).toContain("2 node(s) didn't find available persistent volumes to bind");
  expect((await w.pod("p")).spec.nodeName).toBeUndefined();
  await complete("c", "v");
  expect(await w.nodeOf("p")).toBe("b");
});

test("a pod whose volume cannot be created on one node is scheduled again", async () => {
  await claim("e", "made");
  await w.create("r", "1", using("e"));
  const selected = async (): Promise<string | undefined> =>
    (await claims().get("e")).metadata.annotations?.[selectedNode];
  await poll({ what: "a node", timeoutMs: 30_000, intervalMs: 20 }, selected);
  // What a provisioner does that cannot create the volume.
  await claims().patch("e", { metadata: { annotations: { [selectedNode]: null } } }, merge);
  expect((await w.unscheduled("r")).message).toBe(
    'running PreBind plugin "VolumeBinding": binding volumes: provisioning failed for PVC "e"',
  );
  await poll({ what: "another node", timeoutMs: 30_000, intervalMs: 20 }, selected);
  await w.remove("r");
});

test("a change of the volume between decision and reservation leads to another decision", async () => {
  await volume("w", "manual");
  await volumes().patch("w", { status: { phase: "Available" } }, { ...merge, subresource: "status" });
  await claim("f", "manual");
  // Changes follow each other for a while, so that some reservations meet a newer version.
  const changes = (async () => {
    for (let i = 0; i < 20; i++) await volumes().patch("w", { metadata: { labels: { i: String(i) } } }, merge);
  })();
  await w.create("s", "1", using("f"));
  await changes;
  const reserved = await poll({ what: "the reservation", timeoutMs: 30_000 }, async () => {
    return (await volumes().get("w")).spec.claimRef?.name;
  });
  expect(["d", "f"]).toContain(reserved);
});
