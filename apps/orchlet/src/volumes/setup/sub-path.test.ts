import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { canMount, mountsBelow, unmountBelow } from "@orchernetes/host";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { writeAtomically } from "../content/atomic-writer.ts";
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

describe.skipIf(!mayMount)("a subPath of a volume", () => {
  test("is mounted at its target, whether it is a folder or a file, also through links of the volume", async () => {
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
  ])("%s is rejected, and nothing is mounted or created", async (_, subPath) => {
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
  ])("a missing folder is created with the mode %o and the group of the volume", async (mode, gid) => {
    chownSync(volume, 0, gid);
    chmodSync(volume, mode);
    await prepare("new/er");
    for (const path of ["new", "new/er"]) {
      const made = statSync(join(volume, path));
      expect([made.mode & 0o7777, made.gid]).toEqual([mode, gid]);
    }
  });

  test("an existing folder keeps its mode", async () => {
    chmodSync(join(volume, "a/b"), 0o711);
    await prepare("a/b");
    expect(statSync(join(volume, "a/b")).mode & 0o7777).toBe(0o711);
  });

  test("nothing outside is mounted or created while a folder of the volume is replaced by a link", async () => {
    mkdirSync(join(dir, "host/b"));
    writeFileSync(join(dir, "host/b/file"), "precious");
    symlinkSync(join(dir, "host"), join(volume, "way"));
    // As long as the steps of the agent take; and it may make "a" in a moment in which there is none.
    const swap = `process.chdir(process.argv[1]); process.stdout.write("on");
      const pause = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.random() * 6);
      for (;;) try {
        fs.renameSync("a", "aside"); fs.renameSync("way", "a"); pause();
        fs.renameSync("a", "way"); fs.renameSync("aside", "a"); pause();
      } catch {
        fs.rmSync("a", { recursive: true, force: true });
        fs.renameSync("aside", "a");
        if (!fs.existsSync("way")) fs.symlinkSync("../host", "way");
      }`;
    const swapper = spawn(process.execPath, ["-e", swap, volume], { stdio: ["ignore", "pipe", "inherit"] });
    const seen = new Set<string>();
    try {
      await once(swapper.stdout, "data");
      for (let round = 0; round < 60; round++) {
        const done = await prepare(round % 3 > 0 ? "a/b" : "a/new").then(
          () => true,
          () => false,
        );
        const file = join(target, "file");
        if (done && round % 3 > 0) seen.add(existsSync(file) ? readFileSync(file, "utf8") : "made by the agent");
        await unmountBelow(dir);
        rmSync(join(target, ".."), { recursive: true, force: true });
      }
    } finally {
      expect(swapper.exitCode).toBe(null);
      swapper.kill("SIGKILL");
      await once(swapper, "exit");
    }
    expect([...seen]).toContain("inside");
    expect([...seen]).not.toContain("precious");
    expect(readdirSync(join(dir, "host")).sort()).toEqual(["b", "file"]);
  }, 60_000);

  test("the next instance of a container sees the updated file of a ConfigMap", async () => {
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
