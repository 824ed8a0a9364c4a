import { constants } from "node:crypto";
import { hostname, networkInterfaces } from "node:os";
import type { SecureContext, SecureContextOptions } from "node:tls";
import type { Logger } from "@orchernetes/kernel";
import {
  type CaBundle,
  type CertificatePair,
  createSelfSignedPair,
  ensureSelfSignedPair,
  type Followed,
  fileFingerprint,
  loadCaBundle,
  reloadingSecureContext,
  watchFiles,
} from "@orchernetes/tls";
import { ConfigurationError } from "../configuration-error.ts";
import { lackingHalf } from "../named-files.ts";
import { parseSniPair } from "../sni-pair.ts";
import { certificateHosts, matchSni, type SniEntry } from "./sni.ts";
import { cipherList, tlsVersion } from "./tls-names.ts";

/** The TLS options of a secure port, as flags set them. */
export interface TlsOptions {
  /** Both or neither. Without them a self-signed pair is created in `certDir`, or in memory if that is empty, too. */
  readonly certFile?: string;
  readonly keyFile?: string;
  readonly certDir?: string;
  /**
   * A pair that the caller provides, instead of files. While it is undefined, the port is open and every TLS handshake
   * without a server name of `sniCertKeys` fails.
   */
  readonly pair?: Followed<CertificatePair | undefined>;
  /** File name of the self-signed pair without its ending. */
  readonly pairName: string;
  /** Hosts of the self-signed pair. @default this host's name and addresses, and localhost */
  readonly selfSignedHosts?: readonly string[];
  /** `--tls-sni-cert-key` values. */
  readonly sniCertKeys?: readonly string[];
  readonly cipherSuites?: readonly string[];
  readonly minVersion?: string;
  /**
   * Bundles whose authorities may have signed client certificates; if there is one, a certificate is requested from
   * clients.
   */
  readonly clientCaFiles?: readonly string[];
  /**
   * Bundles that the caller provides, besides files. If there are any, even empty ones, clients are asked for a
   * certificate.
   */
  readonly clientCas?: readonly Followed<CaBundle>[];
}

/** Serving certificates that follow their files. */
export interface ServingCertificates {
  /** For the server's own context. */
  contextOptions(): SecureContextOptions;
  /** The context for a server name, or undefined for the default one. */
  select(serverName: string): SecureContext | undefined;
  readonly requestCert: boolean;
}

/** Names and addresses of this machine, for a self-signed certificate. */
export function localHosts(): readonly string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return [...new Set([hostname(), "localhost", ...addresses.map(({ address }) => address.split("%")[0] ?? address)])];
}

/**
 * Loads the certificates and authorities of a secure port and reloads them when they change. `onChange` is called when
 * the default certificate or a client CA bundle has changed.
 * @throws TlsMaterialError when a file cannot be used at the start
 */
export async function loadServingCertificates(
  options: TlsOptions,
  deps: {
    readonly signal: AbortSignal;
    readonly logger: Logger;
    readonly onChange: () => void;
    readonly reloadIntervalMs?: number;
  },
): Promise<ServingCertificates> {
  const { signal, logger, onChange } = deps;
  const interval = deps.reloadIntervalMs === undefined ? {} : { intervalMs: deps.reloadIntervalMs };
  const onError = (error: unknown) =>
    logger.error(error, "Changed certificate files cannot be used; the previous ones stay in effect");
  const minVersion = tlsVersion(options.minVersion ?? "");
  const ciphers = cipherList(options.cipherSuites ?? []);
  const pair = await defaultPair(options, { ...deps, interval, onError });

  const caFiles = options.clientCaFiles ?? [];
  const since = await fileFingerprint(caFiles);
  const loadCas = async () => (await Promise.all(caFiles.map(loadCaBundle))).map(({ pem }) => pem);
  let fileCas = await loadCas();
  const keptCas = options.clientCas ?? [];
  const ca = (): readonly string[] => [
    ...fileCas,
    ...keptCas.map((bundle) => bundle.current().pem).filter((pem) => pem !== ""),
  ];
  for (const bundle of keptCas) bundle.onChange(onChange);
  if (caFiles.length > 0) {
    const reload = async () => {
      fileCas = await loadCas();
      logger.info("Reloaded the client CA bundles", { files: caFiles });
      onChange();
    };
    watchFiles({ files: caFiles, since, signal, ...interval, onError, onChange: reload });
  }

  const sni = await Promise.all(
    (options.sniCertKeys ?? []).map(async (text) => {
      const { certFile, keyFile, patterns } = parseSniPair(text);
      const settings = { certFile, keyFile, minVersion, ciphers, caFiles };
      const context = await reloadingSecureContext({ ...settings, ...interval, signal, onError });
      return { patterns, context };
    }),
  );
  return {
    requestCert: caFiles.length > 0 || keptCas.length > 0,
    contextOptions: () => ({
      ...materialOf(pair()),
      ...(ca().length === 0 ? {} : { ca: [...ca()] }),
      secureOptions:
        // Renegotiation makes the server sign repeatedly, and may change the client certificate.
        constants.SSL_OP_NO_RENEGOTIATION |
        // A resumed session has the client certificate but not the intermediate ones.
        (ca().length === 0 ? 0 : constants.SSL_OP_NO_TICKET),
      ...(minVersion === undefined ? {} : { minVersion }),
      ciphers,
    }),
    select(serverName) {
      const entries = sni.map(({ patterns, context }): SniEntry<SecureContext> => {
        const { context: value, pair } = context.current();
        const leaf = pair.chain[0];
        const explicit = patterns.length > 0;
        return { explicit, names: explicit ? patterns : leaf === undefined ? [] : certificateHosts(leaf), value };
      });
      return matchSni(entries, serverName);
    },
  };
}

const materialOf = (pair: CertificatePair | undefined): SecureContextOptions =>
  pair === undefined ? {} : { cert: pair.certPem, key: pair.keyPem };

/**
 * The default certificate: the caller's pair, given files, the self-signed pair of a directory, or one in memory only.
 */
async function defaultPair(
  options: TlsOptions,
  deps: {
    readonly signal: AbortSignal;
    readonly logger: Logger;
    readonly onChange: () => void;
    readonly onError: (error: unknown) => void;
    readonly interval: { readonly intervalMs?: number };
  },
): Promise<() => CertificatePair | undefined> {
  const { certFile = "", keyFile = "", certDir = "", pairName, pair: kept } = options;
  if (kept !== undefined) {
    kept.onChange(deps.onChange);
    return kept.current;
  }
  const { logger } = deps;
  const hosts = options.selfSignedHosts ?? localHosts();
  let files = { certFile, keyFile };
  if (certFile === "" && keyFile === "") {
    if (certDir === "") {
      const pair = await createSelfSignedPair({ hosts });
      logger.warn("Serving with a self-signed certificate that is kept in memory only");
      return () => pair;
    }
    const made = await ensureSelfSignedPair({ certDir, name: pairName, hosts });
    if (made.created) logger.info("Generated a self-signed serving certificate", { certFile: made.certFile });
    files = made;
  } else if (certFile === "" || keyFile === "") {
    const cert = { from: "--tls-cert-file", path: certFile };
    throw new ConfigurationError([lackingHalf(cert, { from: "--tls-private-key-file", path: keyFile })]);
  }
  const context = await reloadingSecureContext({
    certFile: files.certFile,
    keyFile: files.keyFile,
    ...deps.interval,
    signal: deps.signal,
    onError: deps.onError,
    onReload: () => {
      logger.info("Reloaded the serving certificate", { certFile: files.certFile });
      deps.onChange();
    },
  });
  return () => context.current().pair;
}
