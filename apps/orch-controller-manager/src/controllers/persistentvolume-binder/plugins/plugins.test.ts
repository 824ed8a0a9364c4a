import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@orchernetes/client";
import { canMount, unmountBelow } from "@orchernetes/host";
import { systemClock } from "@orchernetes/kernel";
import { claim, storageClass, type VolumeSketch, volume } from "@orchernetes/testkit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { volumes } from "../../../testing/settings.ts";
import { hostPathPlugin } from "./host-path.ts";
import { volumePlugins } from "./index.ts";
import { deleterOf } from "./volume-plugin.ts";

const mayMount = await canMount();
const client = createClient({ server: "http://127.0.0.1:1" });
const plugins = volumePlugins(volumes, { client, clock: systemClock, signal: new AbortController().signal });
const madeBy = (name: string) => ({ annotations: { "pv.orchernetes.io/provisioned-by": name } });

test.each<[string, VolumeSketch, string | undefined]>([
  ["a host path", {}, "orchernetes.io/host-path"],
  ["made by a plugin", madeBy("orchernetes.io/host-path"), "orchernetes.io/host-path"],
  ["made by somebody else", madeBy("example.com/maker"), undefined],
  [
    "made by a plugin that is not here",
    madeBy("orchernetes.io/gce-pd"),
    "no volume plugin matched name: orchernetes.io/gce-pd",
  ],
  [
    "a share",
    { source: { nfs: { server: "s", path: "/" } } },
    'error getting deleter volume plugin for volume "v": no deletable volume plugin matched',
  ],
  [
    "a kind unknown here",
    { source: { iscsi: { targetPortal: "t", iqn: "i", lun: 0 } } },
    'error getting deleter volume plugin for volume "v": no volume plugin matched',
  ],
])("who deletes %s", (_, sketch, want) => {
  const find = (): string | undefined => deleterOf(volume("v", sketch), plugins)?.name;
  if (want === undefined || want.startsWith("orchernetes.io/")) expect(find()).toBe(want);
  else expect(find).toThrow(want);
});

test.each<[VolumeSketch, object, number]>([
  // volume, source in the pod, seconds
  [{ size: "1Gi" }, { hostPath: { path: "/none" } }, 60],
  [{ size: "2049Mi" }, { hostPath: { path: "/none" } }, 90],
  [{ size: "11Gi", source: { nfs: { server: "s", path: "/p" } } }, { nfs: { server: "s", path: "/p" } }, 330],
])("the pod that empties %j", (sketch, source, seconds) => {
  const given = volume("v", sketch);
  const pod = plugins.find((plugin) => plugin.supports(given))?.recyclerPod?.(given);
  expect(pod?.metadata).toEqual({ name: "recycler-for-v", namespace: "default" });
  expect(pod?.spec.activeDeadlineSeconds).toBe(seconds);
  expect(pod?.spec.volumes).toEqual([{ name: "vol", ...source }]);
  expect(pod?.spec.containers[0]?.volumeMounts?.[0]?.name).toBe("vol");
});

describe("host paths", () => {
  let root: string;
  let outside: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), "host-path-root-"));
    outside = await mkdtemp(join(tmpdir(), "host-path-outside-"));
    await writeFile(join(outside, "precious"), "");
    await symlink(outside, join(root, "link"));
    await mkdir(join(root, "dir", "deep"), { recursive: true });
  });
  afterEach(async () => {
    await rm(root, { recursive: true });
    await rm(outside, { recursive: true });
  });
  const plugin = (hostPathProvisioning = true) => hostPathPlugin({ ...volumes, hostPathProvisioning }, root);
  const at = (path: string) => volume("v", { source: { hostPath: { path } } });

  test.each([
    ["a directory", () => join(root, "dir"), true],
    ["what is gone", () => join(root, "gone"), true],
    ["what is gone with its parent", () => join(root, "gone", "too"), true],
    ["a link itself", () => join(root, "link"), true],
    ["the root", () => root, false],
    ["elsewhere", () => outside, false],
    ["elsewhere, by a link", () => join(root, "link", "precious"), false],
    ["what is deeper", () => `${root}//dir/deep/`, true],
    ["elsewhere, by dots", () => `${root}/dir/../..`, false],
    ["elsewhere, by dots in between", () => `${root}/../${outside.split("/").at(-1)}`, false],
  ])("deleting %s", async (_, pathOf, allowed) => {
    const path = pathOf();
    const work = plugin().delete?.(at(path));
    if (allowed) await work;
    else await expect(work).rejects.toThrow(`host_path deleter only supports ${root}/.+ but received provided ${path}`);
    if (allowed) expect(existsSync(path)).toBe(false);
    expect(existsSync(join(outside, "precious"))).toBe(true);
  });

  test("a folder that becomes a link while something in it is deleted leads nowhere else", async () => {
    const [tenant, real] = [join(root, "tenant"), join(root, "real")];
    await mkdir(tenant);
    let isDone = false;
    const swap = async () => {
      while (!isDone) {
        // It may be deleted at any time.
        await mkdir(join(tenant, "deep")).catch(() => undefined);
        await rename(tenant, real);
        await symlink(outside, tenant);
        await rm(tenant);
        await rename(real, tenant);
      }
    };
    const swapping = swap();
    for (let i = 0; i < 300; i++) {
      await mkdir(join(outside, "deep"), { recursive: true });
      await plugin()
        .delete?.(at(join(tenant, "deep")))
        .catch(() => undefined);
      expect(existsSync(join(outside, "deep"))).toBe(true);
    }
    isDone = true;
    await swapping;
  });

  test.skipIf(!mayMount)("what is mounted in a directory is not deleted with it", async () => {
    execFileSync("mount", ["--bind", outside, join(root, "dir/deep")]);
    try {
      await expect(plugin().delete?.(at(join(root, "dir")))).rejects.toThrow(/still mounted below it/);
    } finally {
      await unmountBelow(root);
    }
    expect(existsSync(join(outside, "precious"))).toBe(true);
  });

  test("a directory is created for a claim", async () => {
    const made = await plugin().provision?.(
      claim("c", { size: "3Gi", modes: ["ReadWriteMany"] }),
      storageClass("fast"),
      undefined,
    );
    expect(made?.spec).toMatchObject({ accessModes: ["ReadWriteMany"], capacity: { storage: "3Gi" } });
    const { path = "" } = made?.spec.hostPath ?? {};
    expect(path.startsWith(`${root}/hostpath_pv/`)).toBe(true);
    expect(existsSync(path)).toBe(true);
    await plugin().delete?.(at(path));
    expect(existsSync(path)).toBe(false);
  });

  test.each([
    ["switched off", false, {}, 'provisioning in volume plugin "orchernetes.io/host-path" is disabled'],
    ["a device", true, { volumeMode: "Block" }, "orchernetes.io/host-path does not support block volume provisioning"],
  ] as const)("no directory: %s", async (_, enabled, sketch, message) => {
    await expect(plugin(enabled).provision?.(claim("c", sketch), storageClass("fast"), undefined)).rejects.toThrow(
      message,
    );
  });
});
