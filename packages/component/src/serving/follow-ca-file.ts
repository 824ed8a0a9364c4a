import type { Logger } from "@orchernetes/kernel";
import { type CaBundle, type Followed, fixed, followFiles, loadCaBundle } from "@orchernetes/tls";

const nobody: CaBundle = { pem: "", certificates: [] };

/**
 * The authorities of a bundle file, reloaded when it changes; none for an empty name. If a changed file cannot be used,
 * that is reported, and the previous authorities stay in effect.
 * @throws TlsMaterialError when the file cannot be used at the start
 */
export async function followCaFile(
  file: string,
  deps: { readonly logger: Logger; readonly signal: AbortSignal; readonly intervalMs?: number | undefined },
): Promise<Followed<CaBundle>> {
  const { logger, signal, intervalMs } = deps;
  if (file === "") return fixed(nobody);
  return followFiles({
    files: [file],
    load: () => loadCaBundle(file),
    signal,
    intervalMs,
    onError: (error) =>
      logger.error(error, "Changed CA bundle cannot be used; the previous one stays in effect", { file }),
  });
}
