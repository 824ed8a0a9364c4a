import { spawn } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { removeCgroups } from "./cgroups.ts";
import { canMount } from "./mounts.ts";

const mayMount = await canMount();

/** A hierarchy in which groups can be made here. */
const hierarchy = ["/sys/fs/cgroup/pids", "/sys/fs/cgroup"].find((path) => existsSync(join(path, "cgroup.procs")));

test.skipIf(!mayMount || hierarchy === undefined)(
  "groups are removed although processes still run in them",
  async () => {
    const name = `o8s-cgroups-test-${process.pid}`;
    const group = join(hierarchy ?? "", name, "orchpods/burstable/pod1");
    mkdirSync(group, { recursive: true });
    const sleeper = spawn("sleep", ["60"], { stdio: "ignore" });
    writeFileSync(join(group, "cgroup.procs"), String(sleeper.pid));
    expect(await removeCgroups(name)).toEqual([]);
    expect(existsSync(join(hierarchy ?? "", name))).toBe(false);
  },
);

test("a name that leads elsewhere is rejected", async () => {
  await expect(removeCgroups("../cpu")).rejects.toThrow(/plain name/);
});
