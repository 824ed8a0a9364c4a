import { createPlainServing, type PlainServing } from "@orchernetes/component";
import type { HttpHandler, Logger } from "@orchernetes/kernel";

/** Where a port listens. */
export interface BindAddress {
  readonly host: string;
  /** Whether `::` means addresses of IPv6 alone. Otherwise it, like `0.0.0.0`, means all addresses of both families. */
  readonly isOneFamily?: boolean;
}

/** All addresses of this host. */
export const everywhere: BindAddress = { host: "::" };

const WILDCARDS = new Set(["::", "0.0.0.0"]);

/**
 * Listens with plain HTTP. As programs of Go do, it takes both `0.0.0.0` and `::` for all addresses of both families, unless the
 * host has no IPv6.
 *
 * @throws ConfigurationError when the address cannot be listened on
 */
export async function serveAt(
  { host, isOneFamily = false }: BindAddress,
  options: { readonly port: number; readonly logger: Logger },
  handler: HttpHandler,
): Promise<PlainServing> {
  if (isOneFamily || !WILDCARDS.has(host))
    return createPlainServing({ ...options, bindAddress: host, ipv6Only: isOneFamily }, handler);
  try {
    return await createPlainServing({ ...options, bindAddress: "::" }, handler);
  } catch (error) {
    if (!isWithoutIPv6(error)) throw error;
    return createPlainServing({ ...options, bindAddress: "0.0.0.0" }, handler);
  }
}

/** The kernel has no IPv6, or it is turned off for all interfaces. */
function isWithoutIPv6(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  return code === "EAFNOSUPPORT" || code === "EADDRNOTAVAIL";
}
