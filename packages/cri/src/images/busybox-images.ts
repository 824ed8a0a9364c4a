import { execFile } from "node:child_process";
import { access, constants, readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { buildImageArchive, type ImageArchive } from "./oci-archive.ts";
import { programFiles } from "./program-files.ts";
import type { TarEntry } from "./tar.ts";

const run = promisify(execFile);

/** Reference of the image for sandboxes. */
export const pauseImage = "localhost/pause:1";

/** Reference of the general purpose image. */
export const busyboxImage = "localhost/busybox:1";

/**
 * Default command of the pause image: sleeps, reaps orphans, and exits on SIGTERM. The trap is necessary because the
 * kernel does not apply the default action of a signal to PID 1.
 */
export const pauseCommand = [
  "/bin/sh",
  "-c",
  "trap 'exit 0' TERM INT; while :; do sleep 2147483647 & wait; done",
] as const;

const candidates = ["/usr/bin/busybox", "/bin/busybox", "/usr/local/bin/busybox"];

/** Path of a busybox on this machine; undefined when there is none. */
export async function findBusybox(): Promise<string | undefined> {
  for (const path of candidates) {
    const usable = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (usable) return path;
  }
  return undefined;
}

/** The busybox to build images from. */
export interface BusyboxOptions {
  /** Path of a statically linked busybox. @default the first one in the usual places */
  readonly busybox?: string;
}

/**
 * Programs of this host that find hosts by name. A statically linked busybox cannot: glibc loads a part of itself for that,
 * and crashes if it is another version's.
 */
const nameClients = ["/usr/bin/curl", "/usr/bin/getent"];

/**
 * Builds `localhost/busybox:1`: busybox with all its applets, users root and nobody, `/tmp` and `/home`, and curl and getent
 * if this host has them. Runs `sh`.
 *
 * @throws Error when there is no busybox, or it is not statically linked
 */
export async function buildBusyboxImage(options: BusyboxOptions = {}): Promise<ImageArchive> {
  return buildImageArchive({
    reference: busyboxImage,
    files: withoutRepeated([...(await busyboxFiles(options)), ...(await programFiles(nameClients))]),
    cmd: ["sh"],
    env: ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"],
  });
}

/**
 * Builds `localhost/pause:1`, the image for sandboxes, from busybox: it sleeps, reaps orphaned processes, and exits
 * on SIGTERM.
 *
 * @throws Error when there is no busybox, or it is not statically linked
 */
export async function buildPauseImage(options: BusyboxOptions = {}): Promise<ImageArchive> {
  const busybox = await staticBusybox(options);
  return buildImageArchive({
    reference: pauseImage,
    files: [
      { type: "directory", path: "bin" },
      { type: "file", path: "bin/busybox", mode: 0o755, content: busybox.content },
      { type: "symlink", path: "bin/sh", target: "/bin/busybox" },
      { type: "symlink", path: "bin/sleep", target: "/bin/busybox" },
    ],
    entrypoint: pauseCommand,
    env: ["PATH=/bin"],
  });
}

/**
 * The files of `localhost/busybox:1`, for images with further files.
 *
 * @throws Error when there is no busybox, or it is not statically linked
 */
export async function busyboxFiles(options: BusyboxOptions = {}): Promise<readonly TarEntry[]> {
  const { path, content } = await staticBusybox(options);
  const { stdout } = await run(path, ["--list-full"]);
  const applets = stdout
    .split("\n")
    .map((line) => line.trim().replace(/^\//, ""))
    .filter((line) => line !== "" && line !== "bin/busybox" && line !== "linuxrc");
  const folders = new Set([
    "bin",
    "dev",
    "etc",
    "home",
    "proc",
    "root",
    "sbin",
    "sys",
    "usr",
    "usr/bin",
    "usr/sbin",
    "var",
    "var/run",
  ]);
  for (const applet of applets) {
    for (let slash = applet.indexOf("/"); slash > 0; slash = applet.indexOf("/", slash + 1))
      folders.add(applet.slice(0, slash));
  }
  return [
    ...[...folders].map(
      (folder): TarEntry => ({ type: "directory", path: folder, mode: folder === "root" ? 0o700 : 0o755 }),
    ),
    { type: "directory", path: "tmp", mode: 0o1777 },
    { type: "file", path: "bin/busybox", mode: 0o755, content },
    ...applets.map((applet): TarEntry => ({ type: "symlink", path: applet, target: "/bin/busybox" })),
    text("etc/passwd", "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/home:/bin/false\n"),
    text("etc/group", "root:x:0:\nnogroup:x:65534:\n"),
    text("etc/nsswitch.conf", "hosts: files dns\n"),
  ];
}

/** The entries without those whose path an earlier one has. */
function withoutRepeated(entries: readonly TarEntry[]): readonly TarEntry[] {
  const paths = new Set<string>();
  return entries.filter(({ path }) => !paths.has(path) && paths.add(path));
}

async function staticBusybox(options: BusyboxOptions): Promise<{ path: string; content: Buffer }> {
  const path = options.busybox ?? (await findBusybox());
  if (path === undefined) {
    throw new Error(`Cannot build images: no busybox at ${candidates.join(", ")}; install busybox-static`);
  }
  const content = await readFile(path);
  if (hasInterpreter(content)) {
    throw new Error(`Cannot build images from "${path}": it is linked dynamically; install busybox-static`);
  }
  return { path, content };
}

/**
 * Whether a 64-bit little-endian ELF file needs a dynamic loader: it has a program header of type PT_INTERP (elf(5)).
 */
function hasInterpreter(elf: Buffer): boolean {
  if (elf.length < 64 || elf.readUInt32BE(0) !== 0x7f454c46 || elf[4] !== 2 || elf[5] !== 1) return false;
  const offset = Number(elf.readBigUInt64LE(32));
  const size = elf.readUInt16LE(54);
  const count = elf.readUInt16LE(56);
  for (let at = offset, seen = 0; seen < count && at + 4 <= elf.length; at += size, seen++) {
    if (elf.readUInt32LE(at) === 3) return true;
  }
  return false;
}

function text(path: string, content: string): TarEntry {
  return { type: "file", path, content: Buffer.from(content) };
}
