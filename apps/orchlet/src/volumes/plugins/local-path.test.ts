import { existsSync } from "node:fs";
import { chmod, lstat, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type VolumeSketch, volume } from "@orchernetes/testkit";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createLocalPath, isProvisionedHere, removeLocalPath } from "./local-path.ts";

const name = "pvc-01234567-89ab-cdef-0123-456789abcdef";
let top: string;
let folder: string;
beforeEach(async () => {
  top = await mkdtemp(join(tmpdir(), "o8s-local-path-"));
  folder = join(top, "volumes");
  await mkdir(folder);
});
afterEach(() => rm(top, { recursive: true, force: true }));

const modeOf = async (path: string): Promise<number> => (await lstat(path)).mode & 0o7777;
const provisioned = { "pv.orchernetes.io/provisioned-by": "orchernetes.io/local-path" };
const ours = { ...provisioned, "volume.orchernetes.io/local-path-node": "n" };
const foreign = { ...provisioned, "volume.orchernetes.io/local-path-node": "other" };

test.each<[string, string, VolumeSketch, boolean]>([
  ["of the provisioner", name, { annotations: ours, source: { local: { path: `/v/${name}` } } }, true],
  ["of another node", name, { annotations: foreign, source: { local: { path: `/v/${name}` } } }, false],
  ["of no node", name, { annotations: provisioned, source: { local: { path: `/v/${name}` } } }, false],
  ["of another provisioner", name, { source: { local: { path: `/v/${name}` } } }, false],
  ["at another path", name, { annotations: ours, source: { local: { path: "/etc" } } }, false],
  ["at the path of another", name, { annotations: ours, source: { local: { path: `/v/${name}x` } } }, false],
  ["with another name", "evil", { annotations: ours, source: { local: { path: "/v/evil" } } }, false],
  ["with dots for a name", "..", { annotations: ours, source: { local: { path: "/" } } }, false],
  ["of another kind", name, { annotations: ours }, false],
])("whether a volume %s was provisioned on this node: %j %j %s", (_, called, sketch, want) => {
  expect(isProvisionedHere(volume(called, sketch), { nodeName: "n", localVolumes: "/v" })).toBe(want);
});

test("a folder is created once, with a mode that lets every user of a container write", async () => {
  const path = join(folder, name);
  await mkdir(`${path}.new`, { mode: 0o700 });
  await writeFile(`${path}.new/half`, "of a creation that was interrupted");
  await createLocalPath(path);
  expect(await modeOf(path)).toBe(0o777);
  expect(existsSync(join(path, "half"))).toBe(false);
  await writeFile(join(path, "data"), "kept");
  await chmod(path, 0o700);
  await createLocalPath(path);
  expect(existsSync(join(path, "data"))).toBe(true);
  expect(await modeOf(path)).toBe(0o700);
});

test("a folder is removed with its content, and the targets of its links are not", async () => {
  const outside = join(top, "outside");
  await mkdir(outside);
  await writeFile(join(outside, "precious"), "");
  const path = join(folder, name);
  await createLocalPath(path);
  await mkdir(join(path, "a..b/.hidden"), { recursive: true });
  await symlink(outside, join(path, "link"));
  await symlink("../../outside", join(path, "a..b/relative"));
  await removeLocalPath(folder, name);
  expect(existsSync(path)).toBe(false);
  expect(existsSync(join(outside, "precious"))).toBe(true);
  await removeLocalPath(folder, name);
});

test("a link in place of a folder is removed, and its target is not", async () => {
  const outside = join(top, "outside");
  await mkdir(outside);
  await symlink(outside, join(folder, name));
  await removeLocalPath(folder, name);
  expect(existsSync(join(folder, name))).toBe(false);
  expect(existsSync(outside)).toBe(true);
});

test.each(["", ".", "..", "../outside", `${name}/..`, `${name}/../../outside`, "pvc-x", "/etc"])(
  "%j is no folder that could be removed",
  async (bad) => {
    await mkdir(join(top, "outside"));
    await expect(removeLocalPath(folder, bad)).rejects.toThrow(`${JSON.stringify(bad)} is not a name of a volume`);
    expect(existsSync(join(top, "outside"))).toBe(true);
  },
);
