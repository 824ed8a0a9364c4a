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

/** Whether the agent can use the client configuration that it has. */
export type ClientState =
  | { readonly type: "usable" }
  /** There is no such file. */
  | { readonly type: "missing" }
  /** It cannot be read, or has no client certificate, one that is damaged or has expired, or not the key of the certificate. */
  | { readonly type: "unusable"; readonly reason: string };

/**
 * Finds out whether a client configuration can be used. Otherwise the agent bootstraps, as the original does.
 *
 * @param load reads the file
 */
export function clientStateOf(file: string, load: (file: string) => ClientConfig, nowMs: number): ClientState {
  if (!existsSync(file)) return { type: "missing" };
  try {
    const reason = certificateProblem(load(file), file, nowMs);
    return reason === undefined ? { type: "usable" } : { type: "unusable", reason };
  } catch (error) {
    return { type: "unusable", reason: messageOf(error) };
  }
}

/** Why the client certificate of a configuration cannot be used; undefined if it can. @throws Error if it is damaged */
function certificateProblem(config: ClientConfig, file: string, nowMs: number): string | undefined {
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
