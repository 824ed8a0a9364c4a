import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  buildImageArchive,
  busyboxFiles,
  ensureImage,
  type ImageArchive,
  type TarEntry,
} from "@orchernetes/cri/images";
import { buildGoProgram } from "./go-program.ts";
import { networkClients } from "./network-clients.ts";
import { programOfMachine } from "./programs.ts";
import type { Suite } from "./suite.ts";

const E2E = "o8s.gcr.io/e2e-test-images";
const LEGACY = "gcr.io/orchernetes-e2e-test-images";
const PATH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/";
const CONSUME_CPU = fileURLToPath(new URL("../stand-ins/consume-cpu", import.meta.url));
const WELCOME = "<html><body><h1>It works!</h1></body></html>\n";

/** The image that specs pull with and without credentials; no node may have it beforehand. */
export const PRIVATE_IMAGE = "gcr.io/authenticated-image-pulling/alpine:3.7";

/**
 * A stand-in for an image that specs use: busybox, with `agnhost` or a page. The original images are not available
 * offline.
 */
interface StandIn {
  readonly references: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly cmd?: readonly string[];
  readonly user?: string;
  readonly agnhost?: true;
  /** Whether its shell calls the image's own programs instead of those of busybox; that of `agnhost` does, too. */
  readonly ownClients?: true;
  /**
   * Whether it contains a program that prints its effective user and has the set-user-ID bit, so that it runs as root
   * unless that is forbidden.
   */
  readonly effectiveUser?: true;
  /** A further program in the image. */
  readonly program?: "sample-apiserver" | "etcd" | "resource-consumer";
  /** A file to serve. */
  readonly page?: { readonly path: string; readonly content: string };
}

const serve = (folder: string): readonly string[] => ["httpd", "-f", "-p", "80", "-h", folder];

/** One of the two images between which specs update: it serves its own name. */
function updateDemo(name: string): StandIn {
  const content = `${JSON.stringify({ image: `${name}.jpg` })}\n`;
  return { references: [`${LEGACY}/${name}:1.0`], cmd: serve("/data"), page: { path: "data/data.json", content } };
}

const STAND_INS: readonly StandIn[] = [
  { references: [`${E2E}/agnhost:2.21`], entrypoint: ["/agnhost"], cmd: ["pause"], agnhost: true },
  { references: [`${LEGACY}/jessie-dnsutils:1.0`], cmd: ["sh"], ownClients: true },
  { references: ["docker.io/library/busybox:1.29"], cmd: ["sh"] },
  {
    references: ["docker.io/library/httpd:2.4.38-alpine", "docker.io/library/httpd:2.4.39-alpine"],
    cmd: serve("/usr/local/apache2/htdocs"),
    page: { path: "usr/local/apache2/htdocs/index.html", content: WELCOME },
  },
  {
    references: ["docker.io/library/nginx:1.14-alpine", "docker.io/library/nginx:1.15-alpine"],
    cmd: serve("/usr/share/nginx/html"),
    page: { path: "usr/share/nginx/html/index.html", content: WELCOME },
  },
  { references: ["o8s.gcr.io/pause:3.2"], cmd: ["/bin/sleep", "2147483647"] },
  { references: [`${LEGACY}/nonroot:1.0`], cmd: ["id"], user: "1234" },
  { references: [`${LEGACY}/nonewprivs:1.0`], cmd: ["nnp"], effectiveUser: true },
  { references: [PRIVATE_IMAGE], cmd: ["sh"] },
  updateDemo("nautilus"),
  updateDemo("kitten"),
  { references: [`${LEGACY}/sample-apiserver:1.17`], entrypoint: ["/sample-apiserver"], program: "sample-apiserver" },
  { references: ["o8s.gcr.io/etcd:3.4.13-0"], program: "etcd" },
  { references: [`${LEGACY}/resource-consumer:1.5`], entrypoint: ["/consumer"], program: "resource-consumer" },
];

const ACCOUNTS = [
  "root:x:0:0:root:/root:/bin/sh",
  "nobody:x:65534:65534:nobody:/:/bin/sh",
  "default-user:x:1234:1234:default user:/:/bin/sh",
];

/**
 * A shell that calls the programs of the image. The shell of busybox would use its own, whatever PATH says, and those lack options that
 * specs use.
 */
const SHELL = `#!/bin/busybox sh
while [ $# -gt 1 ] && [ "$1" != -c ] && [ "\${1#-}" != "$1" ]; do options="$options $1"; shift; done
[ "$1" = -c ] || exec busybox sh $options "$@"
shift; command=$1; shift
exec busybox sh $options -c 'nc() { /usr/bin/nc "$@"; }; wget() { /usr/bin/wget "$@"; }; nslookup() { /usr/bin/nslookup "$@"; }; '"$command" "$@"
`;

/**
 * A spec makes an interface of type dummy, which not every kernel has, to see who may: an interface of type bridge needs the same right.
 */
const IP = `#!/bin/busybox sh
[ "$*" = "link add dummy1 type dummy" ] && set -- link add dummy1 type bridge
exec busybox ip "$@"
`;

const text = (path: string, content: string, mode = 0o644): TarEntry => ({
  type: "file",
  path,
  mode,
  content: Buffer.from(content),
});

const executable = (path: string, content: Buffer): TarEntry => ({ type: "file", path, mode: 0o755, content });

/** The folders above a file, outermost first. */
function foldersOf(path: string): readonly TarEntry[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, i): TarEntry => ({ type: "directory", path: parts.slice(0, i + 1).join("/") }));
}

/** The entries, where a later one replaces an earlier one with the same path, as layers of an image do. */
function layered(entries: readonly TarEntry[]): readonly TarEntry[] {
  return [...new Map(entries.map((entry) => [entry.path, entry])).values()];
}

/**
 * Builds the images for specs. Each has the busybox of this machine; some have the `agnhost` of the suite with its
 * files.
 * @throws Error when a program is missing or cannot be built
 */
export async function buildStandInImages({
  agnhost: binary,
  repoRoot,
  folder,
}: Suite): Promise<readonly ImageArchive[]> {
  const clients = await networkClients();
  const base: readonly TarEntry[] = [
    ...(await busyboxFiles()),
    text("etc/passwd", `${ACCOUNTS.join("\n")}\n`),
    ...foldersOf("usr/local/sbin/ip"),
    text("usr/local/sbin/ip", IP, 0o755),
    text("etc/nsswitch.conf", "hosts: files dns\n"),
    ...clients.flatMap(({ path }) => foldersOf(path)),
    ...clients,
  ];
  const shell = text("bin/sh", SHELL, 0o755);
  const agnhost: readonly TarEntry[] = [
    { type: "file", path: "agnhost", mode: 0o755, content: await readFile(binary) },
    { type: "symlink", path: "agnhost-2", target: "/agnhost" },
    shell,
    // Its TLS certificate and key.
    ...(await Promise.all(
      ["localhost.crt", "localhost.key"].map(async (name) =>
        text(name, await readFile(join(repoRoot, "test/images/agnhost/porter", name), "utf8")),
      ),
    )),
  ];
  const program = async (source: string) => readFile(await buildGoProgram(folder, source));
  const nnp = await program("./test/images/nonewprivs");
  const effectiveUser: readonly TarEntry[] = [{ type: "file", path: "usr/bin/nnp", mode: 0o4755, content: nnp }];
  const etcd = await programOfMachine("etcd", "usr/local/bin/etcd");
  const programs: Readonly<Record<NonNullable<StandIn["program"]>, readonly TarEntry[]>> = {
    "sample-apiserver": [executable("sample-apiserver", await program("./vendor/k8s.io/sample-apiserver"))],
    etcd: [...etcd.flatMap(({ path }) => foldersOf(path)), ...etcd],
    // Calls the program that keeps the processor busy by a path relative to the root.
    "resource-consumer": [
      executable("consumer", await program("./test/images/resource-consumer")),
      ...foldersOf("consume-cpu/consume-cpu"),
      executable("consume-cpu/consume-cpu", await program(CONSUME_CPU)),
    ],
  };
  return STAND_INS.flatMap(({ references, entrypoint, cmd, user, page, ...parts }) => {
    const files = layered([
      ...base,
      ...(parts.agnhost ? agnhost : []),
      ...(parts.ownClients ? [shell] : []),
      ...(parts.effectiveUser ? effectiveUser : []),
      ...(parts.program === undefined ? [] : programs[parts.program]),
      ...(page === undefined ? [] : [...foldersOf(page.path), text(page.path, page.content)]),
    ]);
    return references.map((reference) =>
      buildImageArchive({
        reference,
        files,
        env: [PATH],
        ...(entrypoint && { entrypoint }),
        ...(cmd && { cmd }),
        ...(user && { user }),
      }),
    );
  });
}

/**
 * Imports the images into each runtime, one after the other. Images that a runtime has already are not imported
 * again.
 */
export async function importStandInImages(sockets: readonly string[], images: readonly ImageArchive[]): Promise<void> {
  for (const socket of sockets) for (const image of images) await ensureImage(socket, image);
}
