import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openEmbeddedStore } from "../src/index.ts";

const mountPoint = mkdtempSync(join(tmpdir(), "embedded-full-"));
const mounted = mountSmallDisk();
afterAll(() => {
  if (mounted) execFileSync("umount", [mountPoint]);
  rmSync(mountPoint, { recursive: true, force: true });
});

function mountSmallDisk(): boolean {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=4m", "tmpfs", mountPoint], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

test.skipIf(!mounted)(
  "a full disk is NoSpace; what was acknowledged stays, and deletes still work (needs mount)",
  async () => {
    const path = join(mountPoint, "store");
    const store = await openEmbeddedStore({ path });
    const value = Buffer.alloc(100_000);
    const acknowledged: string[] = [];
    const fill = async () => {
      for (let i = 0; i < 60; i++) {
        const key = `/registry/a/${String(i).padStart(2, "0")}`;
        await store.commit([], [{ type: "put", key, value }]);
        acknowledged.push(key);
      }
    };
    await expect(fill()).rejects.toMatchObject({ name: "StoreError", reason: "NoSpace" });
    expect((await store.list("/registry/")).items.map((item) => item.key)).toEqual(acknowledged);
    await expect(store.health(AbortSignal.timeout(1000))).resolves.toBeUndefined();
    await expect(store.writable?.(AbortSignal.timeout(1000))).rejects.toMatchObject({
      reason: "NoSpace",
      message: expect.stringContaining("free space"),
    });
    const gone = await store.commit([], [{ type: "delete", key: "/registry/a/00" }]);
    expect(gone.type).toBe("committed");
    await store.close();
    // Not one more byte: opening needs none.
    expect(() => writeFileSync(join(mountPoint, "rest"), Buffer.alloc(8 << 20))).toThrow("ENOSPC");
    const again = await openEmbeddedStore({ path });
    expect((await again.list("/registry/")).items.map((item) => item.key)).toEqual(acknowledged.slice(1));
    await again.close();
    await expect(openEmbeddedStore({ path: join(mountPoint, "new") })).rejects.toMatchObject({
      reason: "NoSpace",
      message: expect.stringContaining("free space"),
    });
  },
);
