import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { storage } from "@orchernetes/api";
import { canMount, isMounted, mountsBelow, unmountBelow } from "@orchernetes/host";
import { silentLogger } from "@orchernetes/kernel";
import { type RunningCsiDriver, type StartCsiDriverOptions, startCsiDriver } from "@orchernetes/testkit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { testPod } from "../testing/pods.ts";
import { type Paths, preparePaths } from "../util/paths.ts";
import type { Attachments } from "./attachments.ts";
import { type CsiDrivers, createCsiDrivers } from "./csi-drivers.ts";
import { CsiMounter } from "./csi-mounter.ts";
import { type CsiVolume, inlineCsiVolume, persistentCsiVolume } from "./csi-volume.ts";
import type { CsiRequest } from "./publish-volume.ts";
import { stagingFolder, writeRecord } from "./volume-record.ts";
import { VolumesInUse } from "./volumes-in-use.ts";

const mayMount = await canMount();
const name = "test.csi.example";
let dir: string;
let paths: Paths;
let driver: RunningCsiDriver;
let drivers: CsiDrivers;
let inUse: VolumesInUse;
let mounter: CsiMounter;
let spec: storage.CSIDriverSpec | undefined;
let attach: Attachments["attached"];
let bootId: string;

const driverOptions = (changes: Partial<StartCsiDriverOptions> = {}): StartCsiDriverOptions => ({
  ...{ name, nodeId: "n1", dataDir: join(dir, "data"), rootDir: paths.root },
  ...changes,
});

/** What a start of the agent makes. */
async function startAgent(): Promise<void> {
  drivers?.close();
  drivers = createCsiDrivers({
    node: { add: async () => undefined, remove: async () => undefined },
    logger: silentLogger,
  });
  await register();
  inUse = new VolumesInUse(() => undefined);
  await inUse.restore(paths);
  mounter = new CsiMounter({
    ...{ paths, nodeName: "node-a", bootId, drivers, inUse, logger: silentLogger },
    driverSpec: async () => spec,
    attachments: {
      attached(volume, signal) {
        inUse.add(`orchernetes.io/csi/${volume.driver}^${volume.handle}`);
        return attach(volume, signal);
      },
    },
  });
}

const register = (): Promise<void> =>
  drivers.handler.register(
    { type: "CSIPlugin", name, endpoint: driver.endpoint, supportedVersions: ["1.0.0"] },
    new AbortController().signal,
  );

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), "o8s-mount-"));
  paths = preparePaths(join(dir, "root"));
  mkdirSync(join(dir, "data", "volumes", "h1"), { recursive: true });
  writeFileSync(join(dir, "data", "h1.size"), "1048576");
  writeFileSync(join(dir, "data", "volumes", "h1", "file"), "precious");
  driver = await startCsiDriver(driverOptions());
  spec = undefined;
  bootId = "boot-1";
  attach = async () => ({ attachedTo: "n1" });
  await startAgent();
});
afterEach(async () => {
  drivers.close();
  await driver.stop();
  await unmountBelow(dir);
  rmSync(dir, { recursive: true, force: true });
});

const unique = `orchernetes.io/csi/${name}^h1`;
const persistent = (changes: object = {}, source: object = {}): CsiVolume => {
  const csi = { driver: name, volumeHandle: "h1", fsType: "ext4", ...source };
  const pv = { metadata: { name: "pv1" }, spec: { csi, accessModes: ["ReadWriteOnce"], ...changes }, status: {} };
  return persistentCsiVolume(pv as never, csi, false);
};
const request = (uid: string, volume: CsiVolume, changes: Partial<CsiRequest> = {}): CsiRequest => ({
  pod: testPod({ serviceAccountName: "sa" }, { uid, name: `pod-${uid}` }),
  volume,
  secret: async ({ name: secret }) => ({ of: secret }),
  token: async (_, { audience }) => ({ token: `for ${audience}`, expirationTimestamp: "2026-01-01T00:00:00Z" }),
  group: undefined,
  giveToGroup: async () => undefined,
  onExpanded: undefined,
  signal: new AbortController().signal,
  ...changes,
});
const methods = (): readonly string[] => driver.calls.splice(0).map(({ method }) => method.replace("Node", ""));
const lastRequest = (method: string) => driver.calls.findLast((call) => call.method === method)?.request;

describe.skipIf(!mayMount)("a persistent volume", () => {
  test("is staged once, published for each pod, and unstaged after the last one", async () => {
    const path = await mounter.prepare(request("u1", persistent()));
    expect(readFileSync(join(path, "file"), "utf8")).toBe("precious");
    expect(lastRequest("NodePublishVolume")).toMatchObject({
      volumeId: "h1",
      publishContext: { attachedTo: "n1" },
      targetPath: path,
      readonly: false,
      volumeCapability: { mount: { fsType: "ext4" }, accessMode: { mode: "SINGLE_NODE_WRITER" } },
    });
    expect(methods()).toEqual(["StageVolume", "PublishVolume"]);
    await mounter.prepare(request("u1", persistent()));
    expect(methods()).toEqual([]);
    await mounter.prepare(request("u2", persistent()));
    expect(methods()).toEqual(["PublishVolume"]);
    await mounter.release("u1");
    expect([methods(), inUse.list()]).toEqual([["UnpublishVolume"], [unique]]);
    await mounter.release("u2");
    expect([methods(), inUse.list()]).toEqual([["UnpublishVolume", "UnstageVolume"], []]);
    expect(await mountsBelow(dir)).toEqual([]);
    expect(readFileSync(join(dir, "data/volumes/h1/file"), "utf8")).toBe("precious");
    expect(readdirSync(join(paths.csiStagings, name))).toEqual([]);
    await mounter.release("u1");
    expect(methods()).toEqual([]);
  });

  test("is not staged if the driver does not stage, and not attached if the driver does not attach", async () => {
    await driver.stop();
    driver = await startCsiDriver(driverOptions({ capabilities: [] }));
    await register();
    spec = { attachRequired: false };
    attach = async () => {
      throw new Error("must not be asked");
    };
    await mounter.prepare(request("u1", persistent()));
    await mounter.release("u1");
    expect([methods(), inUse.list()]).toEqual([["PublishVolume", "UnpublishVolume"], []]);
  });

  test("gets the secrets, options and access modes of its PersistentVolume", async () => {
    const volume = persistent(
      { mountOptions: ["noatime"], accessModes: ["ReadWriteMany"] },
      {
        volumeAttributes: { a: "b" },
        nodeStageSecretRef: { name: "stage", namespace: "ns" },
        nodePublishSecretRef: { name: "publish", namespace: "ns" },
      },
    );
    await mounter.prepare(request("u1", volume));
    expect(lastRequest("NodeStageVolume")).toMatchObject({ secrets: { of: "stage" }, volumeContext: { a: "b" } });
    expect(lastRequest("NodePublishVolume")).toMatchObject({
      secrets: { of: "publish" },
      volumeContext: { a: "b" },
      volumeCapability: { mount: { mountFlags: ["noatime"] }, accessMode: { mode: "MULTI_NODE_MULTI_WRITER" } },
    });
  });

  test("is expanded if its claim has a smaller size", async () => {
    let expanded = 0;
    const volume = persistent({ capacity: { storage: "4Mi" } });
    const wish = request("u1", volume, {
      onExpanded: async () => {
        expanded += 1;
      },
    });
    const path = await mounter.prepare(wish);
    expect([methods(), expanded]).toEqual([["StageVolume", "PublishVolume", "ExpandVolume"], 1]);
    await mounter.prepare(wish);
    expect(lastRequest("NodeExpandVolume")).toMatchObject({
      volumePath: path,
      capacityRange: { requiredBytes: 4 * 1024 ** 2 },
    });
    expect(methods()).toEqual(["ExpandVolume"]);
    const [found] = await mounter.volumesOf("u1");
    expect(found && (await mounter.usage("u1", found.record))?.usage[0]).toMatchObject({ total: 4 * 1024 ** 2 });
  });

  test("with mode Block is a device", async () => {
    const path = await mounter.prepare(request("u1", persistent({ volumeMode: "Block" })));
    expect(statSync(path).rdev).toBe(statSync("/dev/zero").rdev);
    expect(lastRequest("NodePublishVolume")).toMatchObject({ volumeCapability: { block: {} } });
    await mounter.release("u1");
    expect([await mountsBelow(dir), existsSync(path)]).toEqual([[], false]);
  });

  test("is published again if its driver requires it", async () => {
    spec = { requiresRepublish: true };
    await mounter.prepare(request("u1", persistent()));
    await mounter.prepare(request("u1", persistent()));
    expect(methods()).toEqual(["StageVolume", "PublishVolume", "PublishVolume"]);
  });

  test("that is not attached is reported as in use, and released without calling the driver", async () => {
    attach = async () => {
      throw new Error("not yet");
    };
    await expect(mounter.prepare(request("u1", persistent()))).rejects.toThrow("not yet");
    expect([methods(), inUse.list()]).toEqual([[], [unique]]);
    await mounter.release("u1");
    expect([methods(), inUse.list()]).toEqual([[], []]);
  });

  test("of a driver that is not registered waits for the driver, also to be unpublished", async () => {
    await drivers.handler.deregister(name);
    await expect(mounter.prepare(request("u1", persistent()))).rejects.toThrow(
      `driver name ${name} not found in the list of registered CSI drivers`,
    );
    await register();
    await mounter.prepare(request("u1", persistent()));
    await drivers.handler.deregister(name);
    await expect(mounter.release("u1")).rejects.toThrow("not found in the list of registered CSI drivers");
    await register();
    await mounter.release("u1");
    expect([await mountsBelow(dir), inUse.list()]).toEqual([[], []]);
  });
});

describe.skipIf(!mayMount)("an agent that is killed", () => {
  test.each(["NodeStageVolume", "NodePublishVolume"])("during %s is continued by its successor", async (method) => {
    driver.misbehave = (call) => (call.method === method ? { type: "FailAfterwards", text: "killed" } : undefined);
    await expect(mounter.prepare(request("u1", persistent()))).rejects.toThrow("killed");
    driver.misbehave = undefined;
    await startAgent();
    expect(inUse.list()).toEqual([unique]);
    const path = await mounter.prepare(request("u1", persistent()));
    expect(readFileSync(join(path, "file"), "utf8")).toBe("precious");
    await mounter.release("u1");
    expect([await mountsBelow(dir), inUse.list()]).toEqual([[], []]);
  });

  test("leaves volumes that its successor uses without calling the driver", async () => {
    await mounter.prepare(request("u1", persistent()));
    methods();
    await startAgent();
    await mounter.prepare(request("u1", persistent()));
    expect([methods(), inUse.list()]).toEqual([[], [unique]]);
  });

  test("after the end of a pod leaves a staged volume, which its successor unstages", async () => {
    await mounter.prepare(request("u1", persistent()));
    driver.misbehave = ({ method }) => (method === "NodeUnstageVolume" ? { type: "Hang" } : undefined);
    void mounter.release("u1");
    await expect.poll(() => driver.calls.some(({ method }) => method === "NodeUnstageVolume")).toBe(true);
    driver.misbehave = undefined;
    await startAgent();
    expect(inUse.list()).toEqual([unique]);
    await mounter.collectStaged();
    expect([await mountsBelow(dir), inUse.list()]).toEqual([[], []]);
  });

  test("together with its host leaves records, whose volumes are staged and published again", async () => {
    const path = await mounter.prepare(request("u1", persistent()));
    await unmountBelow(dir);
    bootId = "boot-2";
    await startAgent();
    methods();
    await mounter.prepare(request("u1", persistent()));
    expect([methods(), await isMounted(path)]).toEqual([["StageVolume", "PublishVolume"], true]);
  });
});

describe.skipIf(!mayMount)("a damaged record", () => {
  const recordOf = (uid: string, volume: string) => join(paths.volume(uid, "csi", volume), "vol_data.json");
  const second = (): CsiVolume => ({ ...persistent(), handle: "h2", name: "pv2" });
  beforeEach(() => {
    mkdirSync(join(dir, "data", "volumes", "h2"), { recursive: true });
    writeFileSync(join(dir, "data", "h2.size"), "1048576");
  });

  test.each([
    ["truncated", '{"driverName":"te'],
    ["empty", ""],
    ["of another kind", "[]"],
    ["without a driver", '{"volumeHandle":"h1","specVolID":"pv1"}'],
    ["that leads elsewhere", `{"driverName":"${name}","volumeHandle":"h1","specVolID":"../../../../pv1"}`],
    ["huge", "x".repeat(100_000)],
  ])("%s does not prevent its pod from terminating, and does not affect other volumes", async (_, text) => {
    await mounter.prepare(request("u1", persistent()));
    await mounter.prepare(request("u1", second()));
    writeFileSync(recordOf("u1", "pv1"), text);
    await mounter.release("u1");
    expect([await mountsBelow(dir), inUse.list()]).toEqual([[], []]);
    expect(existsSync(paths.volume("u1", "csi", "pv1"))).toBe(false);
    expect(readFileSync(join(dir, "data/volumes/h1/file"), "utf8")).toBe("precious");
  });

  test("of an earlier agent leaves its volume in place until it is unmounted, and does not affect other pods", async () => {
    const path = await mounter.prepare(request("u1", persistent()));
    await mounter.prepare(request("u1", second()));
    await mounter.prepare(request("u2", second()));
    writeFileSync(recordOf("u1", "pv1"), "{");
    await startAgent();
    methods();
    await expect(mounter.release("u1")).rejects.toThrow(/its driver is not known: .*vol_data.json cannot be read/);
    await mounter.release("u2");
    expect(methods()).toEqual(["UnpublishVolume", "UnpublishVolume", "UnstageVolume"]);
    await mounter.collectStaged();
    expect([methods(), await isMounted(path), inUse.list()]).toEqual([[], true, [unique]]);
    await unmountBelow(paths.volume("u1", "csi", "pv1"));
    await mounter.release("u1");
    await mounter.collectStaged();
    expect([methods(), await mountsBelow(dir), inUse.list()]).toEqual([["UnstageVolume"], [], []]);
  });

  test("of an earlier agent is written again for a pod that runs", async () => {
    await mounter.prepare(request("u1", persistent()));
    writeFileSync(recordOf("u1", "pv1"), "{");
    writeFileSync(
      join(paths.csiStagings, name, readdirSync(join(paths.csiStagings, name))[0] ?? "", "vol_data.json"),
      "{",
    );
    await startAgent();
    methods();
    await mounter.prepare(request("u1", persistent()));
    expect(methods()).toEqual(["StageVolume", "PublishVolume"]);
    await mounter.release("u1");
    expect([await mountsBelow(dir), inUse.list()]).toEqual([[], []]);
  });
});

describe.skipIf(!mayMount)("a driver that", () => {
  test("fails is called again by the next attempt", async () => {
    driver.misbehave = () => ({ type: "Fail", code: "Internal", text: "disk broken" });
    await expect(mounter.prepare(request("u1", persistent()))).rejects.toThrow(
      "rpc error: code = Internal desc = disk broken",
    );
    driver.misbehave = undefined;
    await mounter.prepare(request("u1", persistent()));
  });

  test("does not respond is not waited for when the pod ends", async () => {
    driver.misbehave = () => ({ type: "Hang" });
    const end = new AbortController();
    const attempt = mounter.prepare(request("u1", persistent(), { signal: end.signal }));
    await expect.poll(() => driver.calls.length).toBe(1);
    end.abort();
    await expect(attempt).rejects.toThrow("code = Canceled");
    driver.misbehave = undefined;
    await mounter.release("u1");
    expect(await mountsBelow(dir)).toEqual([]);
  });

  test("wrongly reports a volume as unpublished loses no file of the volume, and the agent unmounts it", async () => {
    await mounter.prepare(request("u1", persistent()));
    driver.misbehave = () => ({ type: "Lie" });
    await mounter.release("u1");
    expect([await mountsBelow(dir), inUse.list()]).toEqual([[], []]);
    expect(readFileSync(join(dir, "data/volumes/h1/file"), "utf8")).toBe("precious");
  });

  test("has written to the folder of a persistent volume without mounting it does not lose the data", async () => {
    driver.misbehave = ({ method, request: { targetPath } }) => {
      if (method !== "NodePublishVolume") return undefined;
      mkdirSync(String(targetPath), { recursive: true });
      writeFileSync(join(String(targetPath), "only"), "copy");
      return { type: "Lie" };
    };
    const path = await mounter.prepare(request("u1", persistent()));
    driver.misbehave = ({ method }) => (method === "NodeUnpublishVolume" ? { type: "Lie" } : undefined);
    await expect(mounter.release("u1")).rejects.toThrow("it is not empty although the driver has unpublished it");
    expect(readFileSync(join(path, "only"), "utf8")).toBe("copy");
  });
});

describe.skipIf(!mayMount)("an inline volume", () => {
  const inline = () => inlineCsiVolume(testPod({}, { uid: "u1" }), "v", { driver: name, volumeAttributes: { a: "b" } });

  test("is published with the information that its driver requests, and deleted with its pod", async () => {
    spec = {
      volumeLifecycleModes: ["Ephemeral"],
      podInfoOnMount: true,
      tokenRequests: [{ audience: "vault" }, { audience: "", expirationSeconds: 600 }],
    };
    const path = await mounter.prepare(request("u1", inline()));
    const context = JSON.parse(readFileSync(join(path, "context.json"), "utf8"));
    expect(JSON.parse(context["csi.storage.o8s.io/serviceAccount.tokens"])).toEqual({
      vault: { token: "for vault", expirationTimestamp: "2026-01-01T00:00:00Z" },
      "": { token: "for ", expirationTimestamp: "2026-01-01T00:00:00Z" },
    });
    expect(context).toMatchObject({
      a: "b",
      "csi.storage.o8s.io/ephemeral": "true",
      "csi.storage.o8s.io/pod.name": "pod-u1",
      "csi.storage.o8s.io/pod.namespace": "default",
      "csi.storage.o8s.io/pod.uid": "u1",
      "csi.storage.o8s.io/serviceAccount.name": "sa",
    });
    expect(methods()).toEqual(["PublishVolume"]);
    await mounter.release("u1");
    expect([methods(), await mountsBelow(dir)]).toEqual([["UnpublishVolume"], []]);
    expect(readdirSync(join(dir, "data/volumes"))).toEqual(["h1"]);
  });

  test.each<[storage.CSIDriverSpec | undefined, string]>([
    [undefined, `volume mode "Ephemeral" not supported by driver ${name} (no CSIDriver object)`],
    [
      { volumeLifecycleModes: ["Persistent"] },
      `volume mode "Ephemeral" not supported by driver ${name} (only supports ["Persistent"])`,
    ],
  ])("needs a driver that supports inline volumes: %j", async (of, message) => {
    spec = of;
    await expect(mounter.prepare(request("u1", inline()))).rejects.toThrow(message);
  });
});

describe.skipIf(!mayMount)("the group of a pod", () => {
  const given = async (volume: CsiVolume): Promise<number> => {
    let count = 0;
    const giveToGroup = async (): Promise<void> => {
      count += 1;
    };
    await mounter.prepare(request("u1", volume, { group: 77, giveToGroup }));
    return count;
  };
  test.each<[string, storage.CSIDriverSpec | undefined, object, object, number]>([
    ["gets a volume with one writer and a file system", undefined, {}, {}, 1],
    ["does not get one without a type of file system", undefined, {}, { fsType: "" }, 0],
    ["does not get one of many nodes", undefined, { accessModes: ["ReadWriteMany"] }, {}, 0],
    [
      "gets any volume by policy File",
      { fsGroupPolicy: "File" },
      { accessModes: ["ReadWriteMany"] },
      { fsType: "" },
      1,
    ],
    ["gets none by policy None", { fsGroupPolicy: "None" }, {}, {}, 0],
    ["gets none that is only read", undefined, {}, { readOnly: true }, 0],
  ])("%s", async (_, of, changes, source, want) => {
    spec = of;
    expect(await given(persistent(changes, source))).toBe(want);
  });

  test("is set by the driver if it can", async () => {
    await driver.stop();
    driver = await startCsiDriver(driverOptions({ capabilities: ["VOLUME_MOUNT_GROUP"] }));
    await register();
    expect(await given(persistent())).toBe(0);
    expect(lastRequest("NodePublishVolume")).toMatchObject({ volumeCapability: { mount: { volumeMountGroup: "77" } } });
  });
});

test("staged volumes of several drivers are unstaged at the same time, so that one that hangs does not delay the others", async () => {
  for (const driverName of ["a", "b"]) {
    const record = { driverName, volumeHandle: "h", specVolID: "pv", attachmentID: "", block: false, called: true };
    const folder = stagingFolder(paths, driverName, "h");
    await writeRecord(folder, { ...record, volumeLifecycleMode: "Persistent", doneInBoot: bootId }, paths);
  }
  const called: string[] = [];
  const end = Promise.withResolvers<void>();
  const get = (driver: string) => {
    const nodeUnstageVolume = () => {
      called.push(driver);
      return end.promise;
    };
    return { client: { node: { nodeUnstageVolume } } } as never;
  };
  mounter = new CsiMounter({
    ...{ paths, nodeName: "node-a", bootId, drivers: { ...drivers, get }, inUse, logger: silentLogger },
    ...{ driverSpec: async () => spec, attachments: undefined },
  });
  const collected = mounter.collectStaged();
  await expect.poll(() => called.toSorted()).toEqual(["a", "b"]);
  end.resolve();
  await collected;
  expect(readdirSync(join(paths.csiStagings, "a"))).toEqual([]);
});
