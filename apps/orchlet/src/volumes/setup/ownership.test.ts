import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { giveToGroup } from "./ownership.ts";

const gid = 4321;
let dir: string;
let volume: string;
let host: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "o8s-owner-"));
  volume = join(dir, "volume");
  host = join(dir, "host");
  mkdirSync(join(volume, "sub"), { recursive: true, mode: 0o755 });
  mkdirSync(host, { mode: 0o700 });
  writeFileSync(join(volume, "sub/file"), "", { mode: 0o600 });
  writeFileSync(join(host, "file"), "", { mode: 0o600 });
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const seen = (path: string) => {
  const { gid: group, mode } = lstatSync(path);
  return [group, mode & 0o7777];
};

describe.skipIf(process.platform !== "linux" || process.getuid?.() !== 0)("the group of a volume", () => {
  test("owns everything in it with read and write access; links are changed, not their targets", async () => {
    symlinkSync(join(host, "file"), join(volume, "link"));
    symlinkSync(host, join(volume, "sub/folder"));
    chmodSync(join(volume, "sub/file"), 0o4711);
    await giveToGroup(volume, gid);
    expect([volume, join(volume, "sub"), join(volume, "sub/file")].map(seen)).toEqual([
      [gid, 0o2775],
      [gid, 0o2775],
      [gid, 0o4771],
    ]);
    expect([lstatSync(join(volume, "link")).gid, lstatSync(join(volume, "sub/folder")).gid]).toEqual([gid, gid]);
    expect([host, join(host, "file")].map(seen)).toEqual([
      [0, 0o700],
      [0, 0o600],
    ]);
  });

  test.each([
    ["OnRootMismatch", "has the group and its bits", gid, 0o2770, 0],
    ["OnRootMismatch", "has another group", 1, 0o2770, gid],
    ["OnRootMismatch", "lacks a bit", gid, 0o0770, gid],
    ["Always", "has the group and its bits", gid, 0o2770, gid],
  ] as const)("with %s, when its folder %s", async (policy, _, group, mode, want) => {
    chownSync(volume, 0, group);
    chmodSync(volume, mode);
    await giveToGroup(volume, gid, policy);
    expect(statSync(join(volume, "sub/file")).gid).toBe(want);
  });

  test("nothing outside is changed while folders of the volume are replaced by links", async () => {
    symlinkSync(host, join(volume, "way"));
    const swap = `const fs = require("node:fs"); process.chdir(process.argv[1]); process.stdout.write("on");
      for (;;) { fs.renameSync("sub", "aside"); fs.renameSync("way", "sub"); fs.renameSync("sub", "way"); fs.renameSync("aside", "sub"); }`;
    const swapper = spawn(process.execPath, ["-e", swap, volume], { stdio: ["ignore", "pipe", "inherit"] });
    try {
      await once(swapper.stdout, "data");
      for (let round = 0; round < 150; round++) await giveToGroup(volume, gid).catch(ignoreVanished);
    } finally {
      swapper.kill("SIGKILL");
      await once(swapper, "exit");
    }
    expect([host, join(host, "file")].map(seen)).toEqual([
      [0, 0o700],
      [0, 0o600],
    ]);
  });
});

function ignoreVanished(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}
