import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { canMount, unmountBelow } from "@orchernetes/host";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createRecordStore } from "./record-store.ts";

const mayMount = await canMount();
let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "o8s-records-"));
  mkdirSync(join(dir, "host"));
  writeFileSync(join(dir, "host/file"), "precious");
});
afterEach(async () => {
  await unmountBelow(dir);
  rmSync(dir, { recursive: true, force: true });
});

test.skipIf(!mayMount)("what a container's process mounted in its folder is unmounted, not deleted", async () => {
  const store = createRecordStore<{ readonly id: string }>(join(dir, "records"));
  await store.load();
  for (const id of ["a", "broken"]) mkdirSync(join(store.dir(id), "rootfs/mnt"), { recursive: true });
  await store.save({ id: "a" });
  for (const id of ["a", "broken"])
    execFileSync("mount", ["--bind", join(dir, "host"), join(store.dir(id), "rootfs/mnt")]);
  await store.remove("a");
  expect(await store.load()).toEqual([]);
  expect([existsSync(store.dir("a")), existsSync(store.dir("broken"))]).toEqual([false, false]);
  expect(readFileSync(join(dir, "host/file"), "utf8")).toBe("precious");
});
