import { existsSync } from "node:fs";
import type { ClientConfig } from "@orchernetes/client";
import { parseCertificates, validity } from "@orchernetes/tls";

/** The files of TLS bootstrapping. */
export interface Bootstrap {
  /** The file of `--bootstrap-orchconfig`: the server, and credentials that may request a certificate. */
  readonly source: string;
  /** The file of `--orchconfig`, which is written. */
  readonly target: string;
}

/** TLS material of a client that is read again when it changes. */
export type ClientMaterial = Extract<NonNullable<ClientConfig["tls"]>, () => unknown>;

/** TLS material as a function, whether or not it can change. */
export const materialOf = ({ tls = {} }: ClientConfig): ClientMaterial => (typeof tls === "function" ? tls : () => tls);

/**
 * Whether a client configuration has certificates, and none of them has expired. Otherwise the agent bootstraps, as the original
 * does: a file that cannot be read, or without a client certificate, is replaced.
 *
 * @param load reads the file; if it throws, the result is false
 */
export function isStillValid(file: string, load: (file: string) => ClientConfig, nowMs: number): boolean {
  if (!existsSync(file)) return false;
  try {
    const { cert } = materialOf(load(file))();
    return (
      cert !== undefined && parseCertificates(cert.toString(), file).every((one) => nowMs < validity(one).notAfterMs)
    );
  } catch {
    return false;
  }
}

/** The server of a client configuration and its authority, without credentials. The material stays the same object while its source does. */
export function withoutCredentials(config: ClientConfig): ClientConfig {
  const material = materialOf(config);
  let known: { readonly of: ReturnType<ClientMaterial>; readonly tls: ReturnType<ClientMaterial> } | undefined;
  const tls: ClientMaterial = () => {
    const of = material();
    if (known?.of !== of) {
      const { cert: _, key: __, ...rest } = of;
      known = { of, tls: rest };
    }
    return known.tls;
  };
  return { server: config.server, tls };
}
