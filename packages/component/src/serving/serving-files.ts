import type { CaBundle, ServingPair } from "@orchernetes/tls";
import { flagFile, type NamedFiles } from "../named-files.ts";

/** The flags of a secure port that name files. */
export interface ServingFileFlags {
  readonly "tls-cert-file": string;
  readonly "tls-private-key-file": string;
  readonly "tls-sni-cert-key": readonly string[];
  readonly "cert-dir": string;
  readonly "secure-port": number;
  readonly "client-ca-file": string;
  readonly "requestheader-client-ca-file": string;
  /** Where the daemon has one. */
  readonly "debug-socket-path"?: string;
}

/** The content of the files of a secure port; undefined where none is named. */
export interface ServingFiles {
  readonly pair: ServingPair | undefined;
  readonly clientCa: CaBundle | undefined;
  readonly requestHeaderCa: CaBundle | undefined;
}

/**
 * Reads every file that the flags of a secure port name, whether or not the port is enabled. A self-signed pair that
 * does not exist yet is not an error; a directory in which it cannot be stored is one.
 *
 * @param pairName name of the self-signed pair in `--cert-dir`
 */
export async function readServingFiles(
  files: NamedFiles,
  flags: ServingFileFlags,
  pairName: string,
): Promise<ServingFiles> {
  const cert = flagFile(flags, "tls-cert-file");
  const key = flagFile(flags, "tls-private-key-file");
  const pair = await files.pair(cert, key);
  const selfSigned = cert.path === "" && key.path === "" && flags["secure-port"] !== 0;
  if (selfSigned) await files.pairDirectory(flagFile(flags, "cert-dir"), pairName);
  await files.sniPairs("--tls-sni-cert-key", flags["tls-sni-cert-key"]);
  const clientCa = await files.bundle(flagFile(flags, "client-ca-file"));
  const requestHeaderCa = await files.bundle(flagFile(flags, "requestheader-client-ca-file"));
  await files.socket({ from: "--debug-socket-path", path: flags["debug-socket-path"] ?? "" });
  return { pair, clientCa, requestHeaderCa };
}
