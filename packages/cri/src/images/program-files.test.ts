import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { programFiles } from "./program-files.ts";

test.skipIf(process.getuid?.() !== 0 || !existsSync("/usr/bin/getent"))(
  "a program runs with the files alone, and finds hosts by name",
  async () => {
    const root = await mkdtemp(join(tmpdir(), "program-files-"));
    try {
      for (const entry of await programFiles(["/usr/bin/getent"])) {
        if (entry.type === "directory") await mkdir(join(root, entry.path), { recursive: true });
        if (entry.type === "file") await writeFile(join(root, entry.path), entry.content, { mode: 0o755 });
      }
      await mkdir(join(root, "etc"), { recursive: true });
      await writeFile(join(root, "etc/hosts"), "192.0.2.7 web.test\n");
      await writeFile(join(root, "etc/nsswitch.conf"), "hosts: files dns\n");
      const found = execFileSync("chroot", [root, "/usr/bin/getent", "hosts", "web.test"], { encoding: "utf8" });
      expect(found).toMatch(/^192\.0\.2\.7\s+web\.test\n$/);
    } finally {
      await rm(root, { recursive: true });
    }
  },
);

test("programs that this host lacks have no files", async () => {
  expect(await programFiles(["/usr/bin/no-such-program"])).toEqual([]);
});
