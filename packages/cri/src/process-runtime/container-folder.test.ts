import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ContainerConfig, Mount } from "../v1/container.ts";
import { prepareContainerFolder } from "./container-folder.ts";

let dir: string;
let host: string;
let copies = 0;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "o8s-folder-"));
  host = join(dir, "host");
  mkdirSync(join(host, "volume"), { recursive: true });
  writeFileSync(join(host, "volume/passwd"), "precious");
  mkdirSync(join(host, "outside"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

async function prepare(mounts: Readonly<Record<string, string>>, workingDir = ""): Promise<string> {
  const folder = join(dir, `container-${copies++}`);
  await prepareContainerFolder(folder, {
    mounts: Object.entries(mounts).map(([containerPath, hostPath]) => ({ containerPath, hostPath }) as Mount),
    workingDir,
    stdin: false,
  } as ContainerConfig);
  return join(folder, "rootfs");
}

describe.skipIf(process.platform !== "linux")("the folder of a container", () => {
  test("has a link for each mount", async () => {
    const root = await prepare({ "/data": join(host, "volume"), "/etc/../x/y": join(host, "outside") }, "/srv/here");
    expect([readlinkSync(join(root, "data")), readlinkSync(join(root, "x/y"))]).toEqual([
      join(host, "volume"),
      join(host, "outside"),
    ]);
    expect(readdirSync(join(root, "srv"))).toEqual(["here"]);
  });

  test("a mount below another deletes nothing in the volume", async () => {
    await prepare({ "/data": join(host, "volume"), "/data/passwd": join(host, "outside") });
    expect(readFileSync(join(host, "volume/passwd"), "utf8")).toBe("precious");
  });

  test("a mount below another is a link in the volume, the same for the next copy of the container", async () => {
    const mounts = { "/data": join(host, "volume"), "/data/run/token": join(host, "outside") };
    for (let copy = 0; copy < 2; copy++) {
      const root = await prepare(mounts);
      expect(readlinkSync(join(root, "data/run/token"))).toBe(join(host, "outside"));
    }
  });

  test("a mount above another keeps the inner one", async () => {
    const root = await prepare({ "/data/inner": join(host, "outside"), "/data": join(host, "volume") });
    expect(readlinkSync(join(root, "data/inner"))).toBe(join(host, "outside"));
  });

  test("links of a volume are not followed, for a mount below or for the working folder", async () => {
    symlinkSync(join(host, "outside"), join(host, "volume/way"));
    await expect(prepare({ "/data": join(host, "volume"), "/data/way/x": join(host, "volume") })).rejects.toThrow(
      /ENOTDIR/,
    );
    await prepare({ "/data": join(host, "volume") }, "/data/way/work");
    expect(readdirSync(join(host, "outside"))).toEqual([]);
  });
});
