import { readFile } from "node:fs/promises";
import {
  buildImageArchive,
  busyboxFiles,
  ensureImage,
  type ImageArchive,
  type TarEntry,
} from "@orchernetes/cri/images";

const E2E = "o8s.gcr.io/e2e-test-images";
const LEGACY = "gcr.io/orchernetes-e2e-test-images";
const PATH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/";
const PAGE = "<html><body><h1>It works!</h1></body></html>\n";

/** What stands in for an image that specs name. Its files are busybox, with `agnhost` or a page beside it. */
interface StandIn {
  readonly references: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly cmd?: readonly string[];
  readonly user?: string;
  readonly agnhost?: true;
  /** Folder of `index.html`. */
  readonly page?: string;
}

const serve = (folder: string): readonly string[] => ["httpd", "-f", "-p", "80", "-h", folder];

const STAND_INS: readonly StandIn[] = [
  { references: [`${E2E}/agnhost:2.21`], entrypoint: ["/agnhost"], cmd: ["pause"], agnhost: true },
  { references: ["docker.io/library/busybox:1.29"], cmd: ["sh"] },
  {
    references: ["docker.io/library/httpd:2.4.38-alpine", "docker.io/library/httpd:2.4.39-alpine"],
    cmd: serve("/usr/local/apache2/htdocs"),
    page: "usr/local/apache2/htdocs",
  },
  {
    references: ["docker.io/library/nginx:1.14-alpine", "docker.io/library/nginx:1.15-alpine"],
    cmd: serve("/usr/share/nginx/html"),
    page: "usr/share/nginx/html",
  },
  { references: ["o8s.gcr.io/pause:3.2"], cmd: ["/bin/sleep", "2147483647"] },
  { references: [`${LEGACY}/nonroot:1.0`], cmd: ["id"], user: "1234" },
  {
    references: [`${LEGACY}/nautilus:1.0`, `${LEGACY}/kitten:1.0`],
    entrypoint: ["/agnhost", "netexec", "--http-port=80"],
    agnhost: true,
  },
];

const ACCOUNTS = [
  "root:x:0:0:root:/root:/bin/sh",
  "nobody:x:65534:65534:nobody:/:/bin/sh",
  "default-user:x:1234:1234:default user:/:/bin/sh",
];

/** `curl` as specs call it: their options are dropped, the last argument is the address. */
const CURL = '#!/bin/sh\nfor last; do :; done\nexec wget -q -T 10 -O - "$last"\n';

const text = (path: string, content: string, mode = 0o644): TarEntry => ({
  type: "file",
  path,
  mode,
  content: Buffer.from(content),
});

function foldersDownTo(path: string): readonly TarEntry[] {
  const parts = path.split("/");
  return parts.map((_, i): TarEntry => ({ type: "directory", path: parts.slice(0, i + 1).join("/") }));
}

/** Entries of which later ones replace earlier ones of the same path. */
function layered(entries: readonly TarEntry[]): readonly TarEntry[] {
  return [...new Map(entries.map((entry) => [entry.path, entry])).values()];
}

/** Builds the images that specs run, each from busybox of this machine and the suite's `agnhost`. */
export async function buildStandInImages(agnhostPath: string): Promise<readonly ImageArchive[]> {
  const base: readonly TarEntry[] = [
    ...(await busyboxFiles()),
    text("etc/passwd", `${ACCOUNTS.join("\n")}\n`),
    text("usr/bin/curl", CURL, 0o755),
  ];
  const agnhost: readonly TarEntry[] = [
    { type: "file", path: "agnhost", mode: 0o755, content: await readFile(agnhostPath) },
    { type: "symlink", path: "agnhost-2", target: "/agnhost" },
  ];
  return STAND_INS.flatMap(({ references, entrypoint, cmd, user, agnhost: withAgnhost, page }) => {
    const files = layered([
      ...base,
      ...(withAgnhost ? agnhost : []),
      ...(page === undefined ? [] : [...foldersDownTo(page), text(`${page}/index.html`, PAGE)]),
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

/** Imports the images into each runtime, one after the other. */
export async function importStandInImages(sockets: readonly string[], images: readonly ImageArchive[]): Promise<void> {
  for (const socket of sockets) for (const image of images) await ensureImage(socket, image);
}
