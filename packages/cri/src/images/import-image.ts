import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { createCriClient } from "../client/create-cri-client.ts";
import type { ImageArchive } from "./oci-archive.ts";

const run = promisify(execFile);

/** An image archive and the containerd that imports it. */
export interface ImportImageOptions {
  /** Path of containerd's socket. */
  readonly socket: string;
  /** Path of an image archive. */
  readonly tarPath: string;
  /** `ctr` program. @default "ctr" */
  readonly ctr?: string;
  readonly signal?: AbortSignal;
}

/**
 * Imports an image archive into containerd's CRI namespace. Importing it again changes nothing.
 *
 * @throws Error with the output of `ctr` if the import fails
 */
export async function importImage({ socket, tarPath, ctr = "ctr", signal }: ImportImageOptions): Promise<void> {
  const env = { ...process.env, PATH: `${process.env.PATH ?? ""}:/usr/sbin:/sbin:/usr/local/sbin` };
  await run(ctr, ["--address", socket, "--namespace", "k8s.io", "images", "import", tarPath], { env, signal });
}

/**
 * Imports an image that was built here, unless the runtime has it already. Resolves when CRI lists it: the CRI plugin
 * learns of an import from an event, slightly later.
 *
 * @throws Error when the import fails, or CRI does not list the image after 10 s
 */
export async function ensureImage(socket: string, image: ImageArchive, signal?: AbortSignal): Promise<void> {
  const cri = createCriClient({ endpoint: `unix://${socket}`, timeoutMs: 10_000, signal });
  try {
    const known = async () => {
      const { image: found } = await cri.images.imageStatus({ image: { image: image.reference } });
      return found?.id === image.imageId;
    };
    if (await known()) return;
    const dir = await mkdtemp(join(tmpdir(), "orchernetes-image-"));
    try {
      const tarPath = join(dir, "image.tar");
      await writeFile(tarPath, image.tar);
      await importImage({ socket, tarPath, ...(signal && { signal }) });
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
    for (let waitedMs = 0; waitedMs < 10_000; waitedMs += 50) {
      if (await known()) return;
      await sleep(50, undefined, { signal });
    }
    throw new Error(`Imported image "${image.reference}", but the runtime at "${socket}" does not list it after 10 s`);
  } finally {
    cri.close();
  }
}
