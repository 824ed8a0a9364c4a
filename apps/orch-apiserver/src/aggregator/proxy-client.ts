import { loadServingPair, watchFiles } from "@orchernetes/tls";
import type { ProxyClient } from "./extension-connections.ts";

/** `--proxy-client-cert-file` and `--proxy-client-key-file`. */
export interface ProxyClientFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/**
 * Follows the files of the client certificate with which this server authenticates to extension servers. If changed files cannot be used,
 * the previous certificate stays in effect.
 *
 * @param first the certificate at the start; undefined if no files are named
 */
export function followProxyClient(
  files: ProxyClientFiles,
  first: ProxyClient | undefined,
  options: { readonly signal: AbortSignal; readonly intervalMs?: number; readonly onError: (error: unknown) => void },
): () => ProxyClient | undefined {
  if (first === undefined) return () => undefined;
  let current = first;
  const { certFile, keyFile } = files;
  watchFiles({
    ...options,
    files: [certFile, keyFile],
    async onChange() {
      current = await loadServingPair(certFile, keyFile);
    },
  });
  return () => current;
}
