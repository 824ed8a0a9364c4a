import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { canMount, mountTmpfs, unmount } from "./mounts.ts";
import { ensureFolder } from "./private-folder.ts";
import { NotARegularFile, readRegularFile, writeRegularFile } from "./regular-file.ts";

const mayMount = await canMount();
let dir: string;
let path: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "o8s-regular-"));
  path = join(dir, "file");
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe.skipIf(process.platform !== "linux")("files that containers may have created", () => {
  test.each([
    ["a FIFO", () => void execFileSync("mkfifo", [path])],
    ["a directory", () => mkdirSync(path)],
    ["a symbolic link", () => symlinkSync("/etc/passwd", path)],
    ["a device", () => void execFileSync("mknod", [path, "c", "1", "5"])],
  ])("%s in the place of a file is neither read nor written, and nothing waits", async (kind, make) => {
    make();
    await expect(readRegularFile(path, { maxBytes: 10 })).rejects.toThrow(`it is ${kind}; want a regular file`);
    await expect(writeRegularFile(path, "x", 0o644)).rejects.toThrow(NotARegularFile);
  });

  test.each([
    ["start", 3, "abc"],
    ["end", 3, "fgh"],
    ["end", 100, "abcdefgh"],
    ["start", 0, ""],
  ] as const)("from its %s at most %d bytes are read", async (from, maxBytes, want) => {
    writeFileSync(path, "abcdefgh");
    expect((await readRegularFile(path, { maxBytes, from })).toString()).toBe(want);
  });

  test("a missing file is reported as missing", async () => {
    await expect(readRegularFile(path, { maxBytes: 1 })).rejects.toMatchObject({ code: "ENOENT" });
  });

  test("writing creates a file with its mode, and replaces the content in place", async () => {
    await writeRegularFile(path, "one and more", 0o644);
    const { ino, mode } = statSync(path);
    expect(mode & 0o777).toBe(0o644);
    await writeRegularFile(path, "two", 0o644);
    expect([statSync(path).ino, readFileSync(path, "utf8")]).toEqual([ino, "two"]);
  });

  test.skipIf(!mayMount)(
    "on a full disk a file keeps the room that it has: it is overwritten, not emptied first",
    async () => {
      await mountTmpfs(dir, ["size=64k"]);
      const fill = `for (;;) try { fs.appendFileSync(process.argv[1], Buffer.alloc(4096)); } catch { process.stdout.write("full"); }`;
      const text = "text ".repeat(5000);
      await writeRegularFile(path, text, 0o644);
      const filler = spawn(process.execPath, ["-e", fill, join(dir, "filler")], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      try {
        await once(filler.stdout, "data");
        filler.stdout.resume();
        for (let round = 0; round < 200; round++) await writeRegularFile(path, text, 0o644);
        expect(readFileSync(path, "utf8")).toBe(text);
        await expect(writeRegularFile(path, text.repeat(2), 0o644)).rejects.toThrow("ENOSPC");
      } finally {
        filler.kill("SIGKILL");
        await once(filler, "exit");
        await unmount(dir);
      }
    },
  );
});

test("a folder that others may enter is restricted, and a missing one is created", () => {
  chmodSync(dir, 0o777);
  ensureFolder(dir, 0o700);
  ensureFolder(join(dir, "new/er"), 0o750);
  expect([dir, join(dir, "new/er")].map((folder) => statSync(folder).mode & 0o7777)).toEqual([0o700, 0o750]);
  writeFileSync(path, "");
  expect(() => ensureFolder(path, 0o700)).toThrow(/file/);
});
