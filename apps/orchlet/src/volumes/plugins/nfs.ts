import { mkdir } from "node:fs/promises";
import { isIPv6 } from "node:net";
import { dirname } from "node:path";
import type { core } from "@orchernetes/api";
import { isMounted, mountFileSystem } from "@orchernetes/host";
import { messageOf } from "@orchernetes/kernel";
import type { Paths } from "../../util/paths.ts";

/**
 * Mounts an NFS export, unless it is mounted.
 *
 * @param options.program that mounts, as mount(8)
 * @throws Error with what that program says
 */
export async function prepareNfs(
  target: string,
  { server, path }: core.NFSVolumeSource,
  options: {
    readonly readOnly: boolean;
    readonly mountOptions: readonly string[];
    readonly program: string;
    readonly paths: Paths;
  },
): Promise<void> {
  const { readOnly, mountOptions, program, paths } = options;
  if (await isMounted(target)) return;
  // The program would take such a text for one of its options.
  if (server.startsWith("-") || server === "") throw new Error(`invalid NFS server ${JSON.stringify(server)}`);
  const source = `${isIPv6(server) ? `[${server}]` : server}:${path}`;
  await mkdir(dirname(target), { recursive: true, mode: paths.folderMode });
  await mkdir(target, { recursive: true, mode: 0o750 });
  try {
    await mountFileSystem({
      program,
      type: "nfs",
      source,
      target,
      options: [...(readOnly ? ["ro"] : []), ...mountOptions],
    });
  } catch (error) {
    throw new Error(
      `cannot mount NFS export ${JSON.stringify(source)}: ${messageOf(error)} (NFS needs the program mount.nfs, of package nfs-common on Debian, and the kernel module nfs)`,
      { cause: error },
    );
  }
}
