import { readFile, writeFile } from "node:fs/promises";
import type { Logger } from "@orchernetes/kernel";

/** The number of buckets of the kernel's table of connections; tests replace it. */
export interface BucketsFile {
  /** @throws Error without the kernel's module */
  read(): Promise<string>;
  /** @throws Error with code EROFS where the file system is read-only */
  write(text: string): Promise<void>;
}

const PATH = "/sys/module/nf_conntrack/parameters/hashsize";

/** That of the host. */
export const hostBuckets: BucketsFile = {
  read: () => readFile(PATH, "utf8"),
  write: (text) => writeFile(PATH, text),
};

/**
 * Gives the kernel's table of connections a bucket for four connections, unless it has more. A failure is logged: the table is only
 * slower.
 *
 * @param connections the limit of connections
 * @param readOnly called if the file system of the kernel's settings is read-only
 */
export async function raiseBuckets(
  connections: number,
  file: BucketsFile,
  { logger, readOnly }: { readonly logger: Logger; readonly readOnly: () => void },
): Promise<void> {
  const wanted = Math.floor(connections / 4);
  try {
    const found = Number(await file.read());
    if (found >= wanted) return;
    await file.write(String(wanted));
    logger.info("Set the number of buckets of the conntrack table", { from: found, to: wanted });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EROFS") readOnly();
    logger.error(error, "Unable to set the number of buckets of the conntrack table", { wanted });
  }
}
