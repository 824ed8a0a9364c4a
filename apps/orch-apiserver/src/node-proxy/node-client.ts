import type { Logger } from "@orchernetes/kernel";
import {
  type CaBundle,
  type CertificatePair,
  type Followed,
  followFiles,
  loadCaBundle,
  loadServingPair,
} from "@orchernetes/tls";

/** TLS credentials for connections to node agents. */
export interface NodeClient {
  /** `--orchlet-certificate-authority` */
  readonly ca?: CaBundle | undefined;
  /** `--orchlet-client-certificate` and `--orchlet-client-key` */
  readonly pair?: CertificatePair | undefined;
}

interface FileFlags {
  readonly "orchlet-certificate-authority": string;
  readonly "orchlet-client-certificate": string;
  readonly "orchlet-client-key": string;
}

/**
 * Reads the files of the `--orchlet-*` flags and reloads them when they change. Changed files that are invalid, or do not match each
 * other, are reported, and the previous ones stay in effect.
 * @throws TlsMaterialError when a file cannot be used at the start
 */
export function followNodeClient(
  flags: FileFlags,
  deps: { readonly logger: Logger; readonly signal: AbortSignal; readonly intervalMs?: number },
): Promise<Followed<NodeClient>> {
  const { logger, signal, intervalMs } = deps;
  const caFile = flags["orchlet-certificate-authority"];
  const certFile = flags["orchlet-client-certificate"];
  const keyFile = flags["orchlet-client-key"];
  const files = [caFile, certFile, keyFile].filter((file) => file !== "");
  return followFiles({
    files,
    load: async () => ({
      ca: caFile === "" ? undefined : await loadCaBundle(caFile),
      pair: certFile === "" ? undefined : await loadServingPair(certFile, keyFile),
    }),
    signal,
    intervalMs,
    onError: (error) =>
      logger.error(
        error,
        "Changed files for connections to node agents cannot be used; the previous ones stay in effect",
        {
          files,
        },
      ),
  });
}

/** Whether all authorities of the previous bundle are still trusted. */
export function trustsAllOf(former: CaBundle | undefined, now: CaBundle | undefined): boolean {
  const known = new Set(now?.certificates.map(({ fingerprint256 }) => fingerprint256));
  return (former?.certificates ?? []).every(({ fingerprint256 }) => known.has(fingerprint256));
}
