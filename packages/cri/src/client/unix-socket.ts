/** Longest path of a unix socket on Linux, in bytes: `sun_path` has 108 with the final NUL (unix(7)). */
const maxBytes = 107;

/**
 * Checks the path of a unix socket before it is created.
 *
 * @throws RangeError if it is too long for the kernel, which programs tend to report as a different error
 */
export function checkSocketPath(path: string): void {
  const bytes = Buffer.byteLength(path);
  if (bytes <= maxBytes) return;
  throw new RangeError(
    `Cannot create unix socket "${path}": the path has ${bytes} bytes, must have at most ${maxBytes}`,
  );
}

/**
 * The gRPC target of a runtime endpoint.
 *
 * @param endpoint - `unix:///path`, `unix:/path` or an absolute path
 * @throws TypeError for anything else
 */
export function grpcTarget(endpoint: string): string {
  const path = endpoint.startsWith("unix://") ? endpoint.slice(7) : endpoint.replace(/^unix:/, "");
  if (path.startsWith("/") && path.length > 1) return `unix:${path}`;
  throw new TypeError(
    `Cannot use runtime endpoint "${endpoint}": must be a unix socket, e.g. unix:///run/containerd/containerd.sock`,
  );
}
