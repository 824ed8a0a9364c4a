import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { canMount, unmountAndRemove } from "@orchernetes/host";
import { expect, onTestFinished, test } from "vitest";
import { testPod } from "../../testing/pods.ts";
import { createPaths } from "../../util/paths.ts";
import { prepareEmptyDir } from "./empty-dir.ts";
import { hugePageBytes } from "./huge-pages.ts";

const requests = (...sizes: readonly string[]) =>
  testPod({
    containers: sizes.map((size, n) => ({
      name: `c${n}`,
      image: "i",
      resources: { requests: { [`hugepages-${size}`]: "1Gi" } },
    })),
  });

test.each([
  ["HugePages", ["2Mi"], 2 ** 21],
  ["HugePages", ["2Mi", "2048Ki"], 2 ** 21],
  ["HugePages-1Gi", ["2Mi", "1Gi"], 2 ** 30],
])("an emptyDir with medium %s in a pod that requests %j has pages of %i bytes", (medium, sizes, bytes) => {
  expect(hugePageBytes(medium, requests(...sizes))).toBe(bytes);
});

test.each([
  ["HugePages", ["2Mi", "1Gi"], /^medium: HugePages can't be used if container requests multiple huge page sizes$/],
  ["HugePages-1Gi", ["2Mi"], /^medium HugePages-1Gi: hugePages storage requested, but there is no resource request/],
  ["HugePages-big", ["2Mi"], /quantit/],
])("an emptyDir with medium %s in a pod that requests %j is an error", (medium, sizes, message) => {
  expect(() => hugePageBytes(medium, requests(...sizes))).toThrow(message);
});

test("a pod without requests for huge pages cannot have a volume of them", () => {
  expect(() => hugePageBytes("HugePages", testPod({}))).toThrow(/there is no resource request/);
});

/** Whether the kernel has pages of 2 MiB, and this process may mount them. */
async function canMountPages(): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), "o8s-pages-"));
  try {
    if (!(await canMount())) return false;
    execFileSync("mount", ["-t", "hugetlbfs", "-o", "pagesize=2M", "nodev", folder], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  } finally {
    await unmountAndRemove(folder);
  }
}

test.runIf(await canMountPages())(
  "it is a file system of such pages, mounted once, that every user can write",
  async () => {
    const dir = await mkdtemp(join(tmpdir(), "o8s-huge-"));
    onTestFinished(() => unmountAndRemove(dir));
    const volume = join(dir, "volume");
    const options = { fsGroup: undefined, paths: createPaths(dir), pageBytes: () => 2 ** 21 };
    for (let i = 0; i < 2; i++) await prepareEmptyDir(volume, join(dir, "mark"), { medium: "HugePages" }, options);
    const mounts = (await readFile("/proc/self/mounts", "utf8")).split("\n").filter((line) => line.includes(volume));
    expect(mounts).toEqual([expect.stringMatching(/ hugetlbfs .*pagesize=2M/)]);
    expect((await stat(volume)).mode & 0o777).toBe(0o777);
  },
);
