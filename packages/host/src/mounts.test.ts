import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { bindMount, canMount, isMounted, mountsBelow, mountTmpfs, unmountBelow } from "./mounts.ts";
import { mountIdOf, O_PATH, openFolderFlags } from "./open-files.ts";

const mayMount = await canMount();
let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "o8s-mounts-"));
  for (const name of ["volume/part", "secret", "target"]) mkdirSync(join(dir, name), { recursive: true });
  writeFileSync(join(dir, "volume/part/name"), "volume");
  writeFileSync(join(dir, "secret/name"), "secret");
});
afterEach(async () => {
  await unmountBelow(dir);
  rmSync(dir, { recursive: true, force: true });
});

describe.skipIf(!mayMount)("mounts", () => {
  test("the opened folder is mounted, even if its path leads elsewhere by then", async () => {
    const part = await open(join(dir, "volume/part"), O_PATH);
    try {
      // What a container does between the opening and the mount.
      renameSync(join(dir, "volume/part"), join(dir, "volume/other"));
      symlinkSync(join(dir, "secret"), join(dir, "volume/part"));
      await bindMount(part, join(dir, "target"));
    } finally {
      await part.close();
    }
    expect(readFileSync(join(dir, "target/name"), "utf8")).toBe("volume");
  });

  test("a folder that was moved away and replaced by another of the same name is the one that is mounted", async () => {
    const part = await open(join(dir, "volume/part"), O_PATH);
    try {
      renameSync(join(dir, "volume/part"), join(dir, "volume/other"));
      renameSync(join(dir, "secret"), join(dir, "volume/part"));
      await bindMount(part, join(dir, "target"));
    } finally {
      await part.close();
    }
    expect(readFileSync(join(dir, "target/name"), "utf8")).toBe("volume");
  });

  test("mounts of the same device are distinguished", async () => {
    execFileSync("mount", ["--bind", join(dir, "volume"), join(dir, "target")]);
    const [plain, mounted] = [await open(dir, openFolderFlags), await open(join(dir, "target"), openFolderFlags)];
    try {
      expect((await plain.stat()).dev).toBe((await mounted.stat()).dev);
      expect(await mountIdOf(plain)).not.toBe(await mountIdOf(mounted));
    } finally {
      await plain.close();
      await mounted.close();
    }
  });

  test("memory is mounted with its mode, counts as mounted, and no longer exists after unmounting", async () => {
    const target = join(dir, "target");
    await mountTmpfs(target, ["mode=0750"]);
    writeFileSync(join(target, "x"), "");
    expect([await isMounted(target), await isMounted(dir), await mountsBelow(dir)]).toEqual([true, false, [target]]);
    await unmountBelow(dir);
    expect([await isMounted(target), readdirSync(target)]).toEqual([false, []]);
  });
});
