import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { canMount, mountsBelow, unmountBelow } from "@orchernetes/cri/host";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { writeAtomically } from "./atomic-writer.ts";
import { prepareSubPath } from "./sub-path.ts";

const mayMount = await canMount();
let dir: string;
let volume: string;
let target: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "o8s-subpath-"));
  volume = join(dir, "volume");
  target = join(dir, "pod/volume-subpaths/v/c/0");
  mkdirSync(join(volume, "a/b"), { recursive: true });
  writeFileSync(join(volume, "a/b/file"), "inside");
  mkdirSync(join(dir, "host"));
  writeFileSync(join(dir, "host/file"), "precious");
});
afterEach(async () => {
  await unmountBelow(dir);
  rmSync(dir, { recursive: true, force: true });
});

const prepare = (subPath: string) => prepareSubPath(volume, subPath, target, 0o750);
const config = (text: string) =>
  writeAtomically(volume, new Map([["key", { content: Buffer.from(text), mode: 0o644 }]]));

describe.skipIf(!mayMount)("a part of a volume", () => {
  test("appears at its target, a folder or a file, by links of the volume too", async () => {
    await prepare("a/b");
    expect(readFileSync(join(target, "file"), "utf8")).toBe("inside");
    symlinkSync("a/b", join(volume, "link"));
    await prepare("link/file");
    expect(readFileSync(target, "utf8")).toBe("inside");
    await prepare("a/b");
    expect(readFileSync(join(target, "file"), "utf8")).toBe("inside");
    expect(await mountsBelow(dir)).toEqual([target]);
  });

  test.each([
    ["a link out of the volume", "way/file"],
    ["a link to a folder outside", "way"],
    ["a link above", "up/host"],
    ["two dots", "a/../../host"],
    ["an absolute path", "/etc"],
  ])("%s is refused, and nothing is mounted or made", async (_, subPath) => {
    symlinkSync(join(dir, "host"), join(volume, "way"));
    symlinkSync("..", join(volume, "up"));
    await expect(prepare(subPath)).rejects.toThrow(/leads out of its volume|invalid subPath/);
    expect(await mountsBelow(dir)).toEqual([]);
  });

  test.each([
    [0o777, 0],
    [0o2770, 1234],
    [0o1777, 0],
    [0o700, 0],
  ])("a folder that is missing is made with the mode %o of the volume and its group", async (mode, gid) => {
    chownSync(volume, 0, gid);
    chmodSync(volume, mode);
    await prepare("new/er");
    for (const path of ["new", "new/er"]) {
      const made = statSync(join(volume, path));
      expect([made.mode & 0o7777, made.gid]).toEqual([mode, gid]);
    }
  });

  test("a folder that is there keeps its mode", async () => {
    chmodSync(join(volume, "a/b"), 0o711);
    await prepare("a/b");
    expect(statSync(join(volume, "a/b")).mode & 0o7777).toBe(0o711);
  });

  test("the next copy of a container sees the file of a config map as it is after an update", async () => {
    await config("old");
    await prepare("key");
    await config("new");
    // What runs keeps what it has.
    expect(readFileSync(target, "utf8")).toBe("old");
    await prepare("key");
    expect(readFileSync(target, "utf8")).toBe("new");
    await prepare("key");
    expect(await mountsBelow(dir)).toEqual([target]);
  });
});
