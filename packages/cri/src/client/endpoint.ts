/**
 * gRPC target of a runtime endpoint.
 *
 * @param endpoint `unix:///path`, `unix:/path` or an absolute path
 * @throws TypeError on anything else
 */
export function grpcTarget(endpoint: string): string {
  const path = endpoint.startsWith("unix://") ? endpoint.slice(7) : endpoint.replace(/^unix:/, "");
  if (path.startsWith("/") && path.length > 1) return `unix:${path}`;
  throw new TypeError(
    `Cannot use runtime endpoint "${endpoint}": must be a unix socket, e.g. unix:///run/containerd/containerd.sock`,
  );
}
