import { loadServingPair, watchFiles } from "@orchernetes/tls";
import type { ProxyClient } from "./extension-connections.ts";

/** Files of a {@link followProxyClient}. */
export interface ProxyClientFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/**
 * The certificate shown to extension servers, as its files now say. Files that do not fit together leave the former one in
 * force.
 *
 * @param first what the files said at the start; undefined: no files are named
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
