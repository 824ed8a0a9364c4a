import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, createClient } from "@orchernetes/client";
import { type FakeObject, startFakeApiServer } from "@orchernetes/client/testing";
import { canMount, isMounted, mountsBelow, mountTmpfs, unmountBelow } from "@orchernetes/host";
import { systemClock } from "@orchernetes/kernel";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createLastKnown } from "../objects/last-known.ts";
import { testPod } from "../testing/pods.ts";
import { type Paths, preparePaths } from "../util/paths.ts";
import type { ContentSources } from "./content/content.ts";
import { createFlexDrivers } from "./plugins/flex-driver.ts";
import type { VolumeTools } from "./prepare-volume.ts";
import { isReadyElsewhere, localPlugin } from "./setup/ready-mark.ts";
import { createVolumeManager, type VolumeManager } from "./volume-manager.ts";

const mayMount = await canMount();
const tmpfsMagic = 0x01021994;
let dir: string;
let paths: Paths;
let volumes: VolumeManager;
const newManager = (client?: Client, more: Partial<VolumeTools> = {}): VolumeManager =>
  createVolumeManager({
    ...{ paths, nodeName: "n", client, lastKnown: createLastKnown(systemClock), mayMount },
    flex: createFlexDrivers(join(dir, "flex")),
    mounter: "mount",
    ...more,
  });
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "o8s-volumes-"));
  paths = preparePaths(join(dir, "root"));
  volumes = newManager();
});
afterEach(async () => {
  await unmountBelow(dir);
  rmSync(dir, { recursive: true, force: true });
});

const sources = {
  objects: {
    configMap: async () => ({ metadata: {}, data: { key: "value" } }),
    secret: async () => ({ metadata: {}, data: { key: Buffer.from("secret").toString("base64") } }),
  },
  facts: { nodeName: "n", hostIPs: [], podIPs: [], allocatable: {} },
  token: async () => "token",
} as unknown as ContentSources;
const podWith = (volume: object, securityContext: object = {}, uid = "u1") =>
  testPod({ volumes: [{ name: "v", ...volume }], securityContext }, { uid });
async function prepare(...args: Parameters<typeof podWith>): Promise<string> {
  return (await volumes.prepare(podWith(...args), sources)).get("v")?.path ?? "";
}
test("a pod cannot have so many volumes that the node runs out of mounts", async () => {
  const many = Array.from({ length: 501 }, (_, i) => ({ name: `v${i}`, secret: { secretName: "s" } }));
  const outcome = volumes.prepare(testPod({ volumes: many }, { uid: "many" }), sources);
  await expect(outcome).rejects.toThrow("the pod has 501 volumes; want at most 500");
});

const modeOf = (path: string) => statSync(path).mode & 0o7777;
const inMemory = (path: string) => statfsSync(path).type === tmpfsMagic;

describe.skipIf(!mayMount)("volumes", () => {
  test("a new emptyDir is writable for everyone, and a container's changes of its mode are kept", async () => {
    const path = await prepare({ emptyDir: {} });
    expect(modeOf(path)).toBe(0o777);
    chmodSync(path, 0o700);
    chownSync(path, 1000, 1000);
    await prepare({ emptyDir: {} });
    expect([modeOf(path), statSync(path).uid]).toEqual([0o700, 1000]);
  });

  test.each([
    ["its size limit", { sizeLimit: "1Mi" }, 4, 1],
    ["the memory of the pod, which is less", { sizeLimit: "8Mi" }, 4, 4],
    ["the memory of the pod", {}, 4, 4],
    ["its size limit alone", { sizeLimit: "8Mi" }, undefined, 8],
  ])("an emptyDir in memory has %s", async (_, source, podMebi, wantMebi) => {
    volumes = newManager(undefined, { memoryBytes: () => (podMebi === undefined ? undefined : podMebi * 1024 * 1024) });
    const { blocks, bsize } = statfsSync(await prepare({ emptyDir: { medium: "Memory", ...source } }));
    expect(blocks * bsize).toBe(wantMebi * 1024 * 1024);
  });

  test("the group of an emptyDir is set once", async () => {
    const path = await prepare({ emptyDir: {} }, { fsGroup: 77 });
    expect([modeOf(path), statSync(path).gid]).toEqual([0o2777, 77]);
    writeFileSync(join(path, "file"), "", { mode: 0o600 });
    chownSync(join(path, "file"), 1000, 1000);
    chmodSync(path, 0o700);
    await prepare({ emptyDir: {} }, { fsGroup: 77 });
    expect([modeOf(path), modeOf(join(path, "file")), statSync(join(path, "file")).gid]).toEqual([0o700, 0o600, 1000]);
  });

  test.each([
    ["a secret", { secret: { secretName: "s" } }, true],
    ["a token", { projected: { sources: [{ serviceAccountToken: { path: "key" } }] } }, true],
    ["memory", { emptyDir: { medium: "Memory", sizeLimit: "1Mi" } }, true],
    ["a config map", { configMap: { name: "c" } }, false],
  ])(
    "whether %s is in memory; it is closed to other users, and removed when the pod has terminated",
    async (_, volume, memory) => {
      const path = await prepare(volume);
      expect([await isMounted(path), inMemory(path)]).toEqual([memory, memory]);
      for (const folder of [paths.root, paths.pods, paths.pod("u1"), paths.volumes("u1"), join(path, "..")])
        expect([folder, modeOf(folder)]).toEqual([folder, 0o750]);
      await prepare(volume);
      expect(await mountsBelow(dir)).toHaveLength(memory ? 1 : 0);
      writeFileSync(paths.etcHosts("u1"), "");
      await volumes.release("u1");
      expect([await mountsBelow(dir), readdirSync(paths.pod("u1"))]).toEqual([[], ["etc-hosts"]]);
      await volumes.remove("u1");
      expect(existsSync(paths.pod("u1"))).toBe(false);
    },
  );

  test.each([
    ["a secret", { secret: { secretName: "s" } }],
    ["memory", { emptyDir: { medium: "Memory" } }],
  ])(
    "%s that an agent mounted before it was killed is not mounted again, and is unmounted in the end",
    async (_, volume) => {
      const path = await prepare(volume);
      rmSync(paths.plugins("u1"), { recursive: true, force: true });
      writeFileSync(join(path, "..left"), "");
      volumes = newManager();
      await prepare(volume);
      expect(await mountsBelow(dir)).toEqual([path]);
      volumes = newManager();
      await volumes.release("u1");
      expect([await mountsBelow(dir), existsSync(path)]).toEqual([[], false]);
    },
  );

  test("a later agent does not change the modes of an emptyDir either", async () => {
    const path = await prepare({ emptyDir: {} }, { fsGroup: 77 });
    chownSync(path, 1000, 1000);
    chmodSync(path, 0o1700);
    volumes = newManager();
    for (let sync = 0; sync < 3; sync++) await prepare({ emptyDir: {} }, { fsGroup: 77 });
    expect([modeOf(path), statSync(path).uid, statSync(path).gid]).toEqual([0o1700, 1000, 1000]);
  });

  test("a full disk is reported, and the volume is set up completely when there is space", async () => {
    await mountTmpfs(paths.root, ["mode=0750", "size=256k", "nr_inodes=16"]);
    paths = preparePaths(paths.root);
    volumes = newManager();
    const filler = join(paths.root, "filler");
    mkdirSync(filler);
    for (let made = 0; made < 9; made++) writeFileSync(join(filler, `${made}`), "");
    await expect(prepare({ emptyDir: {} }, { fsGroup: 77 })).rejects.toThrow(/volume "v" : ENOSPC/);
    await expect(prepare({ emptyDir: {} }, { fsGroup: 77 })).rejects.toThrow(/volume "v" : ENOSPC/);
    rmSync(filler, { recursive: true });
    const path = await prepare({ emptyDir: {} }, { fsGroup: 77 });
    expect([modeOf(path), statSync(path).gid]).toEqual([0o2777, 77]);
    await volumes.remove("u1");
    expect(readdirSync(paths.pods)).toEqual([]);
  });

  test("a tmpfs that is no longer mounted is mounted again", async () => {
    const volume = { emptyDir: { medium: "Memory" } };
    const path = await prepare(volume);
    await unmountBelow(dir);
    await prepare(volume);
    expect([inMemory(path), modeOf(path)]).toEqual([true, 0o777]);
  });

  test("a secret that an earlier agent stored on disk is updated there", async () => {
    const path = paths.volume("u1", "secret", "v");
    mkdirSync(join(path, "..old"), { recursive: true });
    await prepare({ secret: { secretName: "s" } });
    expect([await isMounted(path), readFileSync(join(path, "key"), "utf8")]).toEqual([false, "secret"]);
  });

  test("the removal of a pod deletes nothing that is mounted into its folder", async () => {
    const path = await prepare({ emptyDir: {} });
    const host = join(dir, "host");
    mkdirSync(host);
    writeFileSync(join(host, "file"), "precious");
    mkdirSync(join(path, "mnt"));
    execFileSync("mount", ["--bind", host, join(path, "mnt")]);
    await volumes.remove("u1");
    expect([existsSync(paths.pod("u1")), readFileSync(join(host, "file"), "utf8")]).toEqual([false, "precious"]);
  });
});

test.each(["..", ".", "", "a/b", "../../etc"])("a pod whose uid is %j has no folder", async (uid) => {
  await expect(volumes.remove(uid)).rejects.toThrow(/cannot be a file name/);
});

describe.skipIf(process.getuid?.() !== 0)("local volumes", () => {
  async function withLocalVolume(
    run: (disk: string) => Promise<void>,
    spec: object = {},
    accessModes = ["ReadWriteOnce"],
  ): Promise<void> {
    const disk = join(dir, "disk");
    mkdirSync(disk, { mode: 0o755 });
    writeFileSync(join(disk, "file"), "", { mode: 0o600 });
    const api = await startFakeApiServer();
    const client = createClient({ server: api.url });
    try {
      api.put("/api/v1/persistentvolumeclaims", {
        metadata: { name: "claim", namespace: "default", uid: "c1" },
        spec: { volumeName: "pv", accessModes },
        status: { phase: "Bound" },
      } as unknown as FakeObject);
      api.put("/api/v1/persistentvolumes", {
        metadata: { name: "pv", uid: "p1" },
        spec: { local: { path: disk }, claimRef: { uid: "c1" }, accessModes: ["ReadWriteOnce"], ...spec },
      } as unknown as FakeObject);
      volumes = newManager(client);
      await run(disk);
    } finally {
      client.close();
      await api.close();
    }
  }
  const claim = { persistentVolumeClaim: { claimName: "claim" } };
  const group = (path: string) => statSync(path).gid;

  test("get the group of the first pod that uses them, once", async () => {
    await withLocalVolume(async (disk) => {
      await prepare(claim, { fsGroup: 77 });
      expect([group(disk), group(join(disk, "file")), modeOf(disk)]).toEqual([77, 77, 0o2775]);
      chownSync(join(disk, "file"), 1000, 1000);
      await prepare(claim, { fsGroup: 77 });
      await prepare(claim, { fsGroup: 88 }, "u2");
      expect([group(disk), group(join(disk, "file"))]).toEqual([77, 1000]);
      await volumes.release("u1");
      await volumes.release("u2");
      await prepare(claim, { fsGroup: 88 }, "u3");
      expect([group(disk), group(join(disk, "file"))]).toEqual([88, 88]);
    });
  });

  test("are known to be in use while a pod only reads them", async () => {
    await withLocalVolume(async (disk) => {
      const inUse = () => isReadyElsewhere(paths, "", localPlugin, disk);
      await prepare({ persistentVolumeClaim: { claimName: "claim", readOnly: true } }, { fsGroup: 77 });
      expect([await inUse(), group(disk)]).toEqual([true, 0]);
      await volumes.release("u1");
      expect(await inUse()).toBe(false);
    });
  });

  test("are available to one pod at a time if their claim is exclusive", async () => {
    const alone = async () => {
      await prepare(claim);
      await prepare(claim);
      const second = prepare(claim, {}, "u2");
      await expect(second).rejects.toThrow(
        "volume uses the ReadWriteOncePod access mode and is already in use by another pod",
      );
      await volumes.release("u1");
      await prepare(claim, {}, "u2");
    };
    await withLocalVolume(alone, {}, ["ReadWriteOncePod"]);
  });

  test("are not block devices if they are folders", async () => {
    const refused = async (disk: string) => {
      await expect(prepare(claim)).rejects.toThrow(`local volume check failed: ${disk} is not a block device`);
    };
    await withLocalVolume(refused, { volumeMode: "Block" });
  });

  test("keep the groups of their content with OnRootMismatch if their folder already has the group", async () => {
    await withLocalVolume(async (disk) => {
      chownSync(disk, 0, 77);
      chmodSync(disk, 0o2775);
      await prepare(claim, { fsGroup: 77, fsGroupChangePolicy: "OnRootMismatch" });
      expect(group(join(disk, "file"))).toBe(0);
    });
  });
});
