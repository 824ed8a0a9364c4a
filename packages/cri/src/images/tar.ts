/** A file, folder or link in an archive. Paths are relative, without a leading slash. */
export type TarEntry =
  | { readonly type: "file"; readonly path: string; readonly mode?: number; readonly content: Uint8Array }
  | { readonly type: "directory"; readonly path: string; readonly mode?: number }
  | { readonly type: "symlink"; readonly path: string; readonly target: string };

const blockSize = 512;
const typeFlags = { file: "0", directory: "5", symlink: "2" } as const;

/**
 * A POSIX ustar archive of `entries`. The same entries always give the same bytes: sorted by path, owned by root,
 * modified at the epoch. Parent folders are not added, so list all of them.
 *
 * @throws RangeError when a path or link target does not fit the ustar format (100 bytes, or 155 + 100 split at a
 *   slash)
 */
export function createTar(entries: readonly TarEntry[]): Buffer {
  const parts: Uint8Array[] = [];
  for (const entry of entries.toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))) {
    const content = entry.type === "file" ? entry.content : new Uint8Array();
    parts.push(header(entry, content.length), content, new Uint8Array(-content.length & (blockSize - 1)));
  }
  parts.push(new Uint8Array(2 * blockSize));
  return Buffer.concat(parts);
}

/** The 512-byte header of an entry (POSIX.1-2017 pax, "ustar Interchange Format"). Numbers are octal text. */
function header(entry: TarEntry, size: number): Buffer {
  const block = Buffer.alloc(blockSize);
  const path = entry.type === "directory" ? `${entry.path}/` : entry.path;
  const { name, prefix } = splitPath(path);
  const target = entry.type === "symlink" ? entry.target : "";
  if (Buffer.byteLength(target) > 100) throw new RangeError(`Cannot archive link "${path}": target is over 100 bytes`);
  const mode = entry.type === "symlink" ? 0o777 : (entry.mode ?? (entry.type === "directory" ? 0o755 : 0o644));
  block.write(name, 0);
  block.write(octal(mode, 7), 100);
  block.write(octal(0, 7), 108);
  block.write(octal(0, 7), 116);
  block.write(octal(size, 11), 124);
  block.write(octal(0, 11), 136);
  // The checksum is computed with spaces in its own field.
  block.write("        ", 148);
  block.write(typeFlags[entry.type], 156);
  block.write(target, 157);
  block.write("ustar\u000000", 257);
  block.write("root", 265);
  block.write("root", 297);
  block.write(prefix, 345);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 6)}\0 `, 148);
  return block;
}

function splitPath(path: string): { name: string; prefix: string } {
  if (Buffer.byteLength(path) <= 100) return { name: path, prefix: "" };
  for (let slash = path.indexOf("/"); slash > 0; slash = path.indexOf("/", slash + 1)) {
    const prefix = path.slice(0, slash);
    const name = path.slice(slash + 1);
    if (name !== "" && Buffer.byteLength(prefix) <= 155 && Buffer.byteLength(name) <= 100) return { name, prefix };
  }
  throw new RangeError(`Cannot archive path "${path}": too long for the ustar format`);
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, "0");
}
