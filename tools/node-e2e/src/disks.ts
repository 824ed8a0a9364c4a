import { mkdirSync } from "node:fs";
import { mountTmpfs } from "@orchernetes/host";

/** A small disk, in memory. */
export interface Disk {
  readonly bytes: number;
  /** @default as many as the kernel gives a tmpfs */
  readonly inodes?: number;
}

/** Mounts a small disk at a folder, which is made. It is unmounted with what the folder is in. */
export async function mountDisk(folder: string, { bytes, inodes }: Disk): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await mountTmpfs(folder, [`size=${bytes}`, ...(inodes === undefined ? [] : [`nr_inodes=${inodes}`]), "mode=0755"]);
}
