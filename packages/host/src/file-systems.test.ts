import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fileSystemSpace } from "./disk-usage.ts";
import { FileSystems } from "./file-systems.ts";

const space = { capacityBytes: 3, availableBytes: 1, usedBytes: 2, inodes: 9, inodesFree: 4, inodesUsed: 5 };

test("the space of a file system is what stat says, and paths on one have the same device", async () => {
  const systems = new FileSystems();
  const own = await systems.space(tmpdir());
  const { capacityBytes, inodes } = await fileSystemSpace(tmpdir());
  expect(own).toMatchObject({ capacityBytes, inodes, inodesUsed: own.inodes - own.inodesFree });
  expect(await systems.device(tmpdir())).toBe(await systems.device(join(tmpdir(), ".")));
  expect(await systems.device("/proc")).not.toBe(await systems.device(tmpdir()));
  await expect(systems.space(join(tmpdir(), "there is none"))).rejects.toThrow(/ENOENT/);
});

test("a path is asked once for all who want to know at the same time, and again later", async () => {
  const asked: string[] = [];
  const systems = new FileSystems({
    async space(path) {
      asked.push(path);
      return space;
    },
  });
  expect(await Promise.all([systems.space("/a"), systems.space("/a"), systems.space("/b")])).toEqual([
    space,
    space,
    space,
  ]);
  expect(asked).toEqual(["/a", "/b"]);
  await systems.space("/a");
  expect(asked).toEqual(["/a", "/b", "/a"]);
});

test("a file system that does not answer costs an error after the limit, and at most two threads", async () => {
  const waiting = new Map<string, (answer: typeof space) => void>();
  const systems = new FileSystems({
    limitMs: 20,
    space: (path) => new Promise((resolve) => waiting.set(path, resolve)),
  });
  for (const path of ["/dead", "/dead", "/dead too", "/third"])
    await expect(systems.space(path)).rejects.toThrow(`the file system of ${path} does not answer`);
  expect([...waiting.keys()]).toEqual(["/dead", "/dead too"]);
  for (const answer of waiting.values()) answer(space);
  await new Promise(setImmediate);
  const third = systems.space("/third");
  waiting.get("/third")?.(space);
  expect(await third).toEqual(space);
});
