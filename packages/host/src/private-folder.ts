import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  mkdirSync,
  openSync,
  type Stats,
  statSync,
} from "node:fs";

/**
 * Creates a folder with the mode, or sets the mode of an existing one, which may be accessible to others.
 * @throws Error naming the folder when it belongs to another user, who could change the mode again, or is not a folder
 */
export function ensureFolder(path: string, mode: number): void {
  mkdirSync(path, { recursive: true, mode });
  const found = statSync(path);
  if (!found.isDirectory()) throw new Error(`cannot use ${JSON.stringify(path)}: it is not a folder`);
  requireOwner(path, found);
  if ((found.mode & 0o7777) !== mode) chmodSync(path, mode);
}

/** Removes the permissions of other users from a file, if it exists. Links are left alone. @throws Error when it belongs to another user */
export function closeFile(path: string): void {
  const fd = openIfFile(path);
  if (fd === undefined) return;
  try {
    const found = fstatSync(fd);
    requireOwner(path, found);
    if (found.isFile() && (found.mode & 0o077) !== 0) fchmodSync(fd, found.mode & 0o700);
  } finally {
    closeSync(fd);
  }
}

function openIfFile(path: string): number | undefined {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  try {
    return openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (["ENOENT", "ELOOP"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
}

/** @throws Error naming the file or folder, or what a link in its place leads to, when it is there and belongs to another user */
export function requireOwn(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found !== undefined) requireOwner(path, found);
}

function requireOwner(path: string, { uid }: Stats): void {
  const own = process.geteuid?.();
  if (own === undefined || uid === own) return;
  throw new Error(
    `cannot use ${JSON.stringify(path)}: it belongs to user ${uid}; want one of user ${own}, who this process runs as (chown ${own})`,
  );
}
