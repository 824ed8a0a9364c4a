import { existsSync } from "node:fs";
import type { ClientConfig } from "@orchernetes/client";
import { messageOf } from "@orchernetes/kernel";
import { parseServingPair, validity } from "@orchernetes/tls";

/** The files of TLS bootstrapping. */
export interface Bootstrap {
  /** The file of `--bootstrap-orchconfig`: the server, and credentials that may request a certificate. */
  readonly source: string;
  /** The file of `--orchconfig`, which is written. */
  readonly target: string;
  /** Why the target is replaced; undefined if there is none yet. */
  readonly reason?: string | undefined;
}

/** TLS material of a client that is read again when it changes. */
export type ClientMaterial = Extract<NonNullable<ClientConfig["tls"]>, () => unknown>;

/** TLS material as a function, whether or not it can change. */
export const materialOf = ({ tls = {} }: ClientConfig): ClientMaterial => (typeof tls === "function" ? tls : () => tls);

/**
 * Why a client configuration cannot be used, so that the agent bootstraps, as the original does: it cannot be read, or has no client
 * certificate, one that has expired, or not the key of the certificate.
 *
 * @param load reads the file
 * @returns undefined if it can be used; "" if there is no such file
 */
export function whyUnusable(file: string, load: (file: string) => ClientConfig, nowMs: number): string | undefined {
  if (!existsSync(file)) return "";
  try {
    const config = load(file);
    const { cert, key } = materialOf(config)();
    const sources = {
      cert: JSON.stringify(config.tlsFiles?.cert ?? file),
      key: JSON.stringify(config.tlsFiles?.key ?? file),
    };
    if (cert === undefined || key === undefined)
      return `${JSON.stringify(file)}: no client certificate with its key found`;
    const { chain } = parseServingPair({ certPem: cert.toString(), keyPem: key.toString() }, sources);
    const expired = chain.find((one) => nowMs >= validity(one).notAfterMs);
    return expired && `${sources.cert}: the certificate expired at ${expired.validTo}`;
  } catch (error) {
    return messageOf(error);
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
