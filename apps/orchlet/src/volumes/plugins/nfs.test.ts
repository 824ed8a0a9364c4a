import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { canMount, isMounted, unmountBelow } from "@orchernetes/host";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createPaths } from "../../util/paths.ts";
import { prepareNfs } from "./nfs.ts";

const mayMount = await canMount();
let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "o8s-nfs-"));
});
afterEach(async () => {
  await unmountBelow(dir);
  rmSync(dir, { recursive: true, force: true });
});

/** A program in place of mount(8), as `--experimental-mounter-path` names one. */
function mounter(script: string): string {
  const program = join(dir, "mounter");
  writeFileSync(program, `#!/bin/sh\nprintf '%s\\n' "$@" > ${join(dir, "args")}\n${script}`);
  chmodSync(program, 0o755);
  return program;
}
const prepare = (program: string, server = "fe80::1") =>
  prepareNfs(
    join(dir, "volumes/v"),
    { server, path: "/exports/a b; $(x)" },
    {
      readOnly: true,
      mountOptions: ["nfsvers=4.1", "hard"],
      program,
      paths: createPaths(dir),
    },
  );

// shows: --experimental-mounter-path
test.skipIf(!mayMount)("an export is mounted once, without a shell, by the given program", async () => {
  const program = mounter('for last; do :; done; mount -t tmpfs tmpfs "$last"');
  await prepare(program);
  const target = join(dir, "volumes/v");
  expect(await isMounted(target)).toBe(true);
  expect(readFileSync(join(dir, "args"), "utf8").trim().split("\n")).toEqual([
    "-t",
    "nfs",
    "-o",
    "ro,nfsvers=4.1,hard",
    "[fe80::1]:/exports/a b; $(x)",
    target,
  ]);
  await prepare("/nowhere");
});

test("the error of an export that cannot be mounted contains the program's message and what is needed", async () => {
  const program = mounter("echo 'mount.nfs: Connection refused' >&2; exit 32");
  await expect(prepare(program)).rejects.toThrow(
    'cannot mount NFS export "[fe80::1]:/exports/a b; $(x)": mount.nfs: Connection refused (NFS needs the program mount.nfs',
  );
});

test.each(["", "-o"])("server %j is not one", async (server) => {
  await expect(prepare(mounter(""), server)).rejects.toThrow("invalid NFS server");
});
