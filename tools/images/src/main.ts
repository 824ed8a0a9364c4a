import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buildBusyboxImage, buildPauseImage, ensureImage, type ImageArchive } from "@orchernetes/cri/images";
import { messageOf } from "@orchernetes/kernel";
import { type Options, parseOptions } from "./options.ts";

const fileName = ({ reference }: ImageArchive): string => `${reference.replace(/^.*\//, "").replace(":", "-")}.tar`;

async function deliver(image: ImageArchive, { out, socket }: Options): Promise<void> {
  const done: string[] = [];
  if (out !== undefined) {
    await mkdir(out, { recursive: true });
    await writeFile(join(out, fileName(image)), image.tar);
    done.push(`written to ${join(out, fileName(image))}`);
  }
  if (socket !== undefined) {
    await ensureImage(socket, image);
    done.push(`in the runtime at ${socket}`);
  }
  process.stdout.write(`${image.reference}  ${image.imageId}  ${done.join(", ")}\n`);
}

try {
  const options = await parseOptions(process.argv.slice(2));
  for (const image of [await buildPauseImage(), await buildBusyboxImage()]) await deliver(image, options);
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 1;
}
