/** Longest path a unix socket can have on Linux, in bytes. */
const maxBytes = 107;

/**
 * Checks a path a unix socket is to be made at.
 *
 * @throws RangeError when the kernel would not take it; programs tend to report that as something else
 */
export function checkSocketPath(path: string): void {
  const bytes = Buffer.byteLength(path);
  if (bytes <= maxBytes) return;
  throw new RangeError(`Cannot make unix socket "${path}": the path has ${bytes} bytes, must have at most ${maxBytes}`);
}
