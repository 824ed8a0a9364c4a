import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { buildBusyboxImage, buildPauseImage, findBusybox } from "./busybox-images.ts";
import { buildImageArchive } from "./oci-archive.ts";
import { createTar } from "./tar.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "o8s-tar-"));
});
afterEach(() => rmSync(dir, { recursive: true }));

function tar(archive: Buffer, ...args: string[]): string {
  const file = join(dir, "a.tar");
  writeFileSync(file, archive);
  return execFileSync("tar", [...args, "-f", file], { encoding: "utf8", cwd: dir, env: { ...process.env, TZ: "UTC" } });
}

test("tar reads what is written", () => {
  const long = `${"d".repeat(90)}/${"f".repeat(90)}`;
  const archive = createTar([
    { type: "file", path: "z", mode: 0o600, content: Buffer.from("last") },
    { type: "symlink", path: "link", target: "/bin/busybox" },
    { type: "directory", path: "d".repeat(90) },
    { type: "file", path: long, content: Buffer.alloc(1000, "x") },
    { type: "directory", path: "tmp", mode: 0o1777 },
  ]);
  expect(
    tar(archive, "--utc", "-tv")
      .trim()
      .split("\n")
      .map((line) => line.replace(/ +/g, " ")),
  ).toEqual([
    `drwxr-xr-x root/root 0 1970-01-01 00:00 ${"d".repeat(90)}/`,
    `-rw-r--r-- root/root 1000 1970-01-01 00:00 ${long}`,
    "lrwxrwxrwx root/root 0 1970-01-01 00:00 link -> /bin/busybox",
    "drwxrwxrwt root/root 0 1970-01-01 00:00 tmp/",
    "-rw------- root/root 4 1970-01-01 00:00 z",
  ]);
  expect(tar(archive, "-xO", "z")).toBe("last");
});

test.each([
  ["100 bytes", "p".repeat(100)],
  ["100 bytes of UTF-8", "ü".repeat(50)],
  ["155 and 100 bytes", `${"d".repeat(155)}/${"f".repeat(100)}`],
  ["several places to split", `${`${"d".repeat(40)}/`.repeat(5)}f`],
])("tar reads a path of %s", (_, path) => {
  const archive = createTar([{ type: "file", path, content: Buffer.from("x") }]);
  expect(tar(archive, "-t", "--quoting-style=literal").trim()).toBe(path);
  expect(tar(archive, "-xO", "--no-wildcards")).toBe("x");
});

test.each([0, 1, 511, 512, 513, 1024])("a file of %d bytes is followed by the next one", (length) => {
  const content = Buffer.alloc(length, "x");
  const archive = createTar([
    { type: "file", path: "a", content },
    { type: "file", path: "b", content: Buffer.from("next") },
  ]);
  expect(archive.length % 512).toBe(0);
  expect(tar(archive, "-xO", "a")).toBe("x".repeat(length));
  expect(tar(archive, "-xO", "b")).toBe("next");
});

test("the order of the entries does not matter, and the setuid bit is kept", () => {
  const entries = [
    { type: "file", path: "bin/su", mode: 0o4755, content: Buffer.from("su") },
    { type: "directory", path: "bin" },
  ] as const;
  const archive = createTar(entries);
  expect(createTar(entries.toReversed()).equals(archive)).toBe(true);
  expect(tar(archive, "-tv")).toMatch(/^drwxr-xr-x .* bin\/\n-rwsr-xr-x .* bin\/su\n$/);
});

test.each(["p".repeat(101), "ü".repeat(51), `${"d".repeat(156)}/f`, `d/${"f".repeat(101)}`])(
  "a path that does not fit into ustar is rejected",
  (path) => {
    expect(() => createTar([{ type: "file", path, content: Buffer.alloc(0) }])).toThrow(/Cannot archive path/);
  },
);

test("a link whose target does not fit into ustar is rejected", () => {
  const link = (length: number) => createTar([{ type: "symlink", path: "l", target: "t".repeat(length) }]);
  expect(tar(link(100), "-tv")).toContain(`l -> ${"t".repeat(100)}`);
  expect(() => link(101)).toThrow('Cannot archive link "l": target is over 100 bytes');
});

test("an image archive is an OCI layout whose digests hold", () => {
  const image = { reference: "localhost/x:2", architecture: "amd64", cmd: ["sh"], env: ["A=b"], files: [] };
  const { tar: archive, imageId } = buildImageArchive(image);
  expect(buildImageArchive(image).tar.equals(archive)).toBe(true);
  const read = (path: string) => JSON.parse(tar(archive, "-xO", path));
  const blob = (digest: string) => `blobs/sha256/${digest.slice(7)}`;
  const sha = (path: string) => {
    const file = join(dir, "a.tar");
    return `sha256:${createHash("sha256")
      .update(execFileSync("tar", ["-xOf", file, path]))
      .digest("hex")}`;
  };
  const [entry] = read("index.json").manifests;
  expect(entry.annotations["io.containerd.image.name"]).toBe("localhost/x:2");
  const manifest = read(blob(entry.digest));
  expect(manifest.config.digest).toBe(imageId);
  for (const { digest } of [entry, manifest.config, ...manifest.layers]) expect(sha(blob(digest))).toBe(digest);
  expect(read(blob(imageId))).toMatchObject({
    architecture: "amd64",
    config: { Cmd: ["sh"], Env: ["A=b"] },
    rootfs: { diff_ids: [manifest.layers[0].digest] },
  });
});

const busybox = await findBusybox();

test.skipIf(busybox === undefined)("the busybox and pause images are the same each time", async () => {
  for (const build of [buildBusyboxImage, buildPauseImage])
    expect((await build()).imageId).toBe((await build()).imageId);
});

test("a dynamically linked busybox is rejected", async () => {
  await expect(buildPauseImage({ busybox: "/bin/bash" })).rejects.toThrow(/linked dynamically; install busybox-static/);
});
