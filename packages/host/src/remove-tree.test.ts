import { execFileSync } from "node:child_process";
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { canMount, mountsBelow, StillMounted, unmountBelow } from "./mounts.ts";
import { removalThread } from "./removal-thread.ts";
import { NotAPlainPath, removeTree, removeTreeBelow, unmountAndRemove } from "./remove-tree.ts";

const mayMount = await canMount();
const linux = process.platform === "linux";
const chattr = (flag: string, path: string) => execFileSync("chattr", [flag, path], { stdio: "ignore" });
/** Whether files can be made that even root cannot delete: not every file system has such. */
const mayFreeze = ((): boolean => {
  const probe = mkdtempSync(join(tmpdir(), "o8s-freeze-"));
  try {
    chattr("+i", probe);
    chattr("-i", probe);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(probe, { recursive: true, force: true });
  }
})();
let dir: string;
/** A folder that must survive. */
let host: string;
/** The folder that is removed. */
let doomed: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "o8s-remove-"));
  host = join(dir, "host");
  doomed = join(dir, "doomed");
  mkdirSync(join(host, "sub"), { recursive: true });
  writeFileSync(join(host, "sub/file"), "precious");
  mkdirSync(join(doomed, "a/b"), { recursive: true });
});
afterEach(async () => {
  await unmountBelow(dir);
  rmSync(dir, { recursive: true, force: true });
});

const survives = () => expect(readFileSync(join(host, "sub/file"), "utf8")).toBe("precious");
const isThere = () => readdirSync(dir).includes("doomed");
const bind = (source: string, target: string) => execFileSync("mount", ["--bind", source, target]);

describe.skipIf(!linux)("removal of a folder", () => {
  test("deletes files, FIFOs, links, and folders however deep, whatever bytes their names have", async () => {
    symlinkSync(host, join(doomed, "link"));
    symlinkSync(join(host, "sub/file"), join(doomed, "a/link"));
    execFileSync("mkfifo", [join(doomed, "a/fifo")]);
    writeFileSync(Buffer.concat([Buffer.from(`${doomed}/a/`), Buffer.from([0xff, 0xfe])]), "");
    // Longer than any path may be: only a walk from folder to folder gets there.
    for (let i = 0; i < 5; i++) {
      const chain = Array.from({ length: 60 }, () => "d".repeat(50)).join("/");
      mkdirSync(join(dir, "chain", chain), { recursive: true });
      if (i > 0) renameSync(join(doomed, "deep"), join(dir, "chain", chain, "deep"));
      renameSync(join(dir, "chain"), join(doomed, "deep"));
    }
    await removeTree(doomed);
    expect(isThere()).toBe(false);
    survives();
    await removeTree(doomed);
  });

  test("ten thousand levels are deleted", async () => {
    const nest = `process.chdir(process.argv[1]); for (let i = 0; i < 1e4; i++) { fs.mkdirSync("d"); process.chdir("d"); }`;
    execFileSync(process.execPath, ["-e", nest, doomed]);
    await removeTree(doomed);
    expect(isThere()).toBe(false);
  }, 60_000);

  test("many files are deleted without blocking the event loop", async () => {
    for (let i = 0; i < 20_000; i++) closeSync(openSync(join(doomed, `f${i}`), "w"));
    mkdirSync(join(dir, "small/a"), { recursive: true });
    const before = process.threadCpuUsage();
    const ended: string[] = [];
    await Promise.all([
      removeTree(doomed).then(() => ended.push("many")),
      removeTree(join(dir, "small")).then(() => ended.push("small")),
    ]);
    const { user, system } = process.threadCpuUsage(before);
    expect([ended, isThere()]).toEqual([["small", "many"], false]);
    expect((user + system) / 1000).toBeLessThan(300);
  }, 60_000);

  test("an entry that cannot be deleted is reported, and the thread continues", async () => {
    await expect(removeTree(`${doomed}/\0`)).rejects.toThrow(/null bytes/);
    mkdirSync(join(dir, "x".repeat(255)));
    await removeTree(join(dir, "x".repeat(255)));
    await removeTree(doomed);
    expect(readdirSync(dir)).toEqual(["host"]);
  });

  test.skipIf(!mayFreeze)("an immutable file is reported, and not retried forever", async () => {
    const file = join(doomed, "a/frozen");
    writeFileSync(file, "");
    chattr("+i", file);
    try {
      await expect(removeTree(doomed)).rejects.toThrow(/EPERM.*unlink/);
    } finally {
      chattr("-i", file);
    }
    await removeTree(doomed);
    expect(isThere()).toBe(false);
  });

  test("a symbolic link at the path is deleted, and its target is not", async () => {
    symlinkSync(host, join(dir, "place"));
    await unmountAndRemove(join(dir, "place"));
    expect(readdirSync(dir).sort()).toEqual(["doomed", "host"]);
    survives();
  });
});

describe.skipIf(!mayMount)("removal of a folder with mounts", () => {
  test.each([
    ["a folder", () => host, "a/b"],
    ["a part of a folder", () => join(host, "sub"), "a"],
    ["the folder itself", () => host, "."],
  ])("is rejected while %s is mounted, and the host's files stay", async (_, source, at) => {
    bind(source(), join(doomed, at));
    await expect(removeTree(doomed)).rejects.toThrow(StillMounted);
    await expect(removeTree(doomed)).rejects.toThrow(/still mounted below it: ".*doomed/);
    survives();
    expect(isThere()).toBe(true);
  });

  test("unmounts first where asked to: folders, files, mounts over mounts, names with blanks", async () => {
    mkdirSync(join(doomed, "a b ä"));
    writeFileSync(join(doomed, "file"), "");
    bind(host, join(doomed, "a b ä"));
    bind(host, join(doomed, "a"));
    bind(join(host, "sub"), join(doomed, "a/sub"));
    bind(host, join(doomed, "a"));
    bind(join(host, "sub/file"), join(doomed, "file"));
    expect(await mountsBelow(doomed)).toHaveLength(5);
    await unmountAndRemove(doomed);
    expect(isThere()).toBe(false);
    survives();
  });

  test("finds mounts that were made after it looked for them, and never enters them", async () => {
    bind(host, join(doomed, "a/b"));
    // The thread is asked as if the table had shown nothing.
    expect(await removalThread.remove({ parent: dir, name: "doomed" })).toBe("mounted");
    survives();
    await unmountBelow(doomed);
    mkdirSync(doomed, { recursive: true });
    writeFileSync(join(doomed, "file"), "");
    bind(join(host, "sub/file"), join(doomed, "file"));
    expect(await removalThread.remove({ parent: dir, name: "doomed" })).toBe("mounted");
    survives();
  });

  test("is rejected while a mount is in use", async () => {
    bind(host, join(doomed, "a"));
    const holder = execFileSync("sh", [
      "-c",
      `cd "$1" && { sleep 20 >/dev/null 2>&1 & echo $!; }`,
      "sh",
      join(doomed, "a"),
    ]);
    try {
      await expect(unmountAndRemove(doomed)).rejects.toThrow(StillMounted);
      survives();
    } finally {
      process.kill(Number(holder), "SIGKILL");
    }
    await unmountAndRemove(doomed);
    survives();
    expect(isThere()).toBe(false);
  });

  test("mounts of a folder that is reached through a link are found", async () => {
    symlinkSync(dir, join(dir, "way"));
    bind(host, join(doomed, "a"));
    await expect(removeTree(join(dir, "way/doomed"))).rejects.toThrow(StillMounted);
    await unmountAndRemove(join(dir, "way/doomed"));
    expect(isThere()).toBe(false);
    survives();
  });
});

describe.skipIf(!linux)("removal below a root", () => {
  test("deletes what the names lead to, and is content if there is nothing", async () => {
    await removeTreeBelow(dir, ["doomed", "a"]);
    expect(readdirSync(doomed)).toEqual([]);
    await removeTreeBelow(dir, ["doomed", "a", "b"]);
    symlinkSync(host, join(doomed, "link"));
    await removeTreeBelow(dir, ["doomed", "link"]);
    await removeTreeBelow(dir, ["doomed"]);
    expect(isThere()).toBe(false);
    survives();
  });

  test.each([
    ["a link to a folder", ["link", "sub"]],
    ["a file", ["doomed", "file", "sub"]],
    ["dots", ["doomed", "..", "host"]],
    ["a dot", ["."]],
    ["a path", ["host/sub"]],
    ["nothing", []],
  ])("rejects %s on the way", async (_, names) => {
    symlinkSync(host, join(dir, "link"));
    writeFileSync(join(doomed, "file"), "");
    await expect(removeTreeBelow(dir, names)).rejects.toThrow(NotAPlainPath);
    survives();
  });

  test.skipIf(!mayMount)("leaves mounts alone", async () => {
    bind(host, join(doomed, "a/b"));
    await expect(removeTreeBelow(dir, ["doomed", "a"])).rejects.toThrow(StillMounted);
    survives();
  });
});
