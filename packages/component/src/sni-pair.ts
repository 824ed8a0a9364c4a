/** One `--tls-sni-cert-key` value. */
export interface SniPair {
  readonly certFile: string;
  readonly keyFile: string;
  /** Host names or `*.` wildcards; empty means the names in the certificate. */
  readonly patterns: readonly string[];
}

/** Reads `certFile,keyFile[:pattern,pattern]`. @throws Error when the text has another form. */
export function parseSniPair(text: string): SniPair {
  const [, certFile, keyFile, patterns] = /^([^,:]+),([^,:]+)(?::(.*))?$/.exec(text) ?? [];
  if (certFile === undefined || keyFile === undefined) {
    throw new Error(`"${text}" is not a certificate pair: want certFile,keyFile or certFile,keyFile:pattern,pattern`);
  }
  return { certFile, keyFile, patterns: (patterns ?? "").split(",").filter((pattern) => pattern !== "") };
}
