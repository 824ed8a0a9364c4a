import { mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import type { core } from "@orchernetes/api";
import { quantityOf } from "@orchernetes/apimachinery";
import { isMounted, mountFileSystem, mountTmpfs, openFolderFlags } from "@orchernetes/host";
import type { Paths } from "../../util/paths.ts";
import { giveToGroup } from "../setup/ownership.ts";
import { readyText, setReady } from "../setup/ready-mark.ts";
import { isHugePages } from "./huge-pages.ts";

/**
 * Sets up an emptyDir at `path` once; afterwards, containers may have changed its mode and owner. A tmpfs is mounted
 * again after a restart of the host.
 *
 * @param markFolder folder for the mark that the volume was set up
 * @throws Error for a medium that this node does not support
 */
export async function prepareEmptyDir(
  path: string,
  markFolder: string,
  { medium = "", sizeLimit }: core.EmptyDirVolumeSource,
  options: {
    readonly fsGroup: number | undefined;
    readonly paths: Paths;
    /** What the pod may take of the node's memory, which a tmpfs must not exceed. @default no limit */
    readonly memoryBytes?: number | undefined;
    /** The size of the pages of a medium of huge pages; throws where the pod cannot have them. */
    readonly pageBytes: () => number;
  },
): Promise<void> {
  const { fsGroup, paths } = options;
  const memory = medium !== "";
  if (memory && medium !== "Memory" && !isHugePages(medium))
    throw new Error(`emptyDir medium "${medium}" is not available on this node`);
  const mounted = memory && (await isMounted(path));
  const ready = (await readyText(markFolder)) !== undefined;
  if (ready && mounted === memory) return;
  await mkdir(dirname(path), { recursive: true, mode: paths.folderMode });
  await mkdir(path, { recursive: true, mode: 0o777 });
  if (memory && !mounted) await mountMedium(path, { medium, sizeLimit }, options);
  const folder = await open(path, openFolderFlags);
  try {
    // mkdir is subject to the umask.
    await folder.chmod(0o777);
  } finally {
    await folder.close();
  }
  if (fsGroup !== undefined) await giveToGroup(path, fsGroup);
  await setReady(markFolder, path, paths);
}

async function mountMedium(
  target: string,
  { medium = "", sizeLimit }: core.EmptyDirVolumeSource,
  { memoryBytes, pageBytes }: Pick<Parameters<typeof prepareEmptyDir>[3], "memoryBytes" | "pageBytes">,
): Promise<void> {
  if (isHugePages(medium)) {
    const options = [`pagesize=${pageBytes()}`];
    return mountFileSystem({ program: "mount", type: "hugetlbfs", source: "nodev", target, options });
  }
  const bytes = tmpfsBytes(sizeLimit, memoryBytes);
  await mountTmpfs(target, bytes === undefined ? [] : [`size=${bytes}`]);
}

/** The size of a tmpfs: that of the volume, but not more than the pod may have. Undefined: half of the machine's memory, as the kernel has it. */
function tmpfsBytes(sizeLimit: string | undefined, memoryBytes: number | undefined): number | undefined {
  const limit = sizeLimit === undefined ? undefined : quantityOf(sizeLimit);
  const bytes = limit !== undefined && limit.sign > 0 ? limit.value() : undefined;
  if (bytes === undefined || memoryBytes === undefined) return bytes ?? memoryBytes;
  return Math.min(bytes, memoryBytes);
}
